import type { FastifyReply } from 'fastify'
import { type Passkey, readPasskeyName } from '../../domain/integrators/passkey.ts'
import { findPasskey, removePasskey, renamePasskey } from '../../domain/integrators/passkey-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import { transaction } from '../../platform/transaction.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import type { SignedIn } from '../threshold/visit.ts'
import { noteOwnChange } from './own-change.ts'
import { passkeyContent } from './passkey-view.ts'
import { showPasskeys, tellOfPasskey } from './passkeys.ts'

/** /portal/account/passkeys/:passkey: its name, and its end. Anybody else's does not exist. */
export function passkeyRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts

  async function asked(visit: SignedIn): Promise<Passkey> {
    const passkey = await findPasskey(db, visit.me.id, parameterOf(visit.request, 'passkey'))
    if (passkey === null) throw notFound()
    return passkey
  }

  async function rename(visit: SignedIn): Promise<FastifyReply> {
    const passkey = await asked(visit)
    const { name, fault } = readPasskeyName(visit.form.get('name'))
    if (fault !== null) return show(visit, 400, passkey, visit.form.get('name') ?? '', fault)
    await transaction(db, async (tx) => {
      const before = await renamePasskey(tx, { integratorId: visit.me.id, id: passkey.id, name })
      if (before === null || before === name) return
      await noteOwnChange(tx, visit, 'account.passkey-renamed', { passkey: before }, { passkey: name })
    })
    return goDone(visit.reply, '/account/passkeys', 'passkey-renamed')
  }

  async function remove(visit: SignedIn): Promise<FastifyReply> {
    const { id } = await asked(visit)
    const removed = await transaction(db, async (tx) => {
      const name = await removePasskey(tx, visit.me.id, id)
      if (name !== null) await noteOwnChange(tx, visit, 'account.passkey-removed', { passkey: name }, null)
      return name !== null
    })
    if (removed) tellOfPasskey(parts, visit, 'removed')
    return goDone(visit.reply, '/account/passkeys', 'passkey-removed')
  }

  return [
    {
      method: 'GET',
      path: '/account/passkeys/:passkey',
      who: 'signed-in',
      answer: async (visit) => {
        const passkey = await asked(visit)
        return show(visit, 200, passkey, passkey.name, null)
      },
    },
    { method: 'POST', path: '/account/passkeys/:passkey/name', who: 'signed-in', answer: rename },
    { method: 'POST', path: '/account/passkeys/:passkey/remove', who: 'signed-in', answer: remove },
  ]
}

function show(visit: SignedIn, status: number, passkey: Passkey, typed: string, fault: string | null): FastifyReply {
  const content = passkeyContent({ csrf: visit.browser.csrf, passkey, typed, fault })
  return showPasskeys(visit, status, 'Passkey', content)
}
