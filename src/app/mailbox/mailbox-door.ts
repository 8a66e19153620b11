import type { Door } from '../../http/door.ts'
import { sendPage } from '../../http/page.ts'
import { errorPage } from '../../ui/error-page.ts'
import type { Mailbox } from './mailbox.ts'
import { mailboxPage } from './mailbox-page.ts'

/** Where demo mode shows its mails, on this machine only. */
export function mailboxDoor(mailbox: Mailbox): Door {
  return {
    name: 'demo',
    prefix: '/demo',
    routes: (app) => {
      app.get('/mailbox', (_, reply) => sendPage(reply, 200, mailboxPage(mailbox.newestFirst())))
      app.get('/mailbox.json', async () => ({ data: mailbox.newestFirst() }))
    },
    answer: (problem, request, reply) =>
      sendPage(reply.headers(problem.headers), problem.status, errorPage(problem, request.id)),
  }
}
