import { openApiDocument } from '../http/openapi.ts'
import { Facility } from './facility-schemas.ts'
import { OPERATIONS } from './operations.ts'
import { Person } from './person-schemas.ts'
import { PLATFORM_API_PROBLEMS } from './problem-codes.ts'

export const PREFIX = '/platform/v1'

/** What the marketplace's back end is told about this API; `docs/platform-openapi.json` is the same. */
export function platformApiDocument(baseUrl: string): object {
  return openApiDocument({
    title: 'Handover platform API',
    version: '1',
    description: `For the marketplace's own back end. It tells Handover who its people and facilities are, who has access to which facility, which application is connected to one, and what happened.

The environment of every call is that of its key; facilities, access and connections of the other one are not there. People are the same in both.

Bodies are JSON, at most 8 MiB; a field that is not known is refused. Batches hold 1 to 500 values and are done whole or not at all; \`errors\` points at what is wrong, such as \`/17/email\`. Every operation may be repeated.`,
    server: baseUrl,
    prefix: PREFIX,
    tags: {
      People: 'Nurse and facility users, one set for both environments.',
      Facilities: 'The facilities of one environment.',
      Access: 'Which people have access to which facility.',
      Connections: 'Which applications are connected to which facility.',
      Events: 'What happened at facilities and to people’s requests.',
    },
    security: {
      name: 'platformKey',
      scheme: {
        type: 'http',
        scheme: 'bearer',
        description: 'A platform key (`hpk_…`) of one environment, made by `handover platform-key create`.',
      },
    },
    problems: ['unauthorized'],
    meanings: PLATFORM_API_PROBLEMS,
    operations: OPERATIONS,
    schemas: { Person, Facility },
    rateLimited: false,
  })
}
