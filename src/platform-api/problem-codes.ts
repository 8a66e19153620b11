import type { ProblemMeaning } from '../http/problem-codes.ts'

/** What this door answers beside the threshold. */
export const PLATFORM_API_PROBLEMS: Record<string, ProblemMeaning> = {
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    means: 'The request does not carry a live platform key. The reason is never told.',
  },
  not_a_sandbox_person: {
    status: 403,
    title: 'Not a sandbox person',
    means: 'A sandbox key reads and changes only people who were made with a sandbox key.',
  },
  email_taken: {
    status: 409,
    title: 'E-mail address taken',
    means: 'Another account has the e-mail address, or gets it in the same batch. Nothing was changed.',
  },
  id_taken: {
    status: 409,
    title: 'Event id taken',
    means: 'An event with this id and other content was accepted before. Nothing of the request was stored.',
  },
  username_taken: {
    status: 409,
    title: 'Username taken',
    means: 'Another account has the username, or gets it in the same batch. Nothing was changed.',
  },
}
