import { platformApiDocument } from '../src/platform-api/openapi.ts'
import { publicApiDocument } from '../src/public-api/openapi.ts'

/** Nobody's address, so that the files are the same on every machine. */
const BASE_URL = 'https://api.handover.example'
const AUTH_URL = 'https://auth.handover.example'

/** The OpenAPI files of the repository as the code has them (decision C14). */
export function openApiFiles(): Array<{ path: string; text: string }> {
  return [
    { path: 'docs/openapi.json', text: written(publicApiDocument(BASE_URL, AUTH_URL)) },
    { path: 'docs/platform-openapi.json', text: written(platformApiDocument(BASE_URL)) },
  ]
}

function written(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`
}
