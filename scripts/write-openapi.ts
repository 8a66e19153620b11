// Writes the OpenAPI files of the repository anew: npm run openapi
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openApiFiles } from './openapi-files.ts'

for (const { path, text } of openApiFiles()) {
  await writeFile(join(import.meta.dirname, '..', path), text)
  console.log(path)
}
