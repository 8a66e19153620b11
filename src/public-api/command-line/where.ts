import type { CommandLineCall } from './command-line-call.ts'

/** GET /command-line: what a command cannot know by itself. The audiences are the operator's to name. */
export const whereToLogIn: CommandLineCall = {
  method: 'GET',
  path: '',
  run: async ({ bearer, audiences }) => ({
    status: 200,
    body: { data: { issuer: bearer.issuer, tokenEndpoint: `${bearer.issuer}/oauth/token`, audiences } },
  }),
}
