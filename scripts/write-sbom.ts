// Writes the list of everything that is delivered anew, after a package changed: npm run sbom
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SBOM_PATH, sbomFile } from './sbom/sbom-file.ts'

const root = join(import.meta.dirname, '..')
await writeFile(join(root, SBOM_PATH), await sbomFile(root))
console.log(SBOM_PATH)
