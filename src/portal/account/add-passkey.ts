import type { FastifyReply } from 'fastify'
import { isFreshSession } from '../../domain/integrators/integrator-session-store.ts'
import { findIntegratorTotp } from '../../domain/integrators/integrator-totp-store.ts'
import { MOST_PASSKEYS, readPasskeyName } from '../../domain/integrators/passkey.ts'
import { challengeToAdd, takeChallengeToAdd } from '../../domain/integrators/passkey-challenge-store.ts'
import { insertPasskey, keysOf } from '../../domain/integrators/passkey-store.ts'
import { transaction } from '../../platform/transaction.ts'
import { checkNewKey, relyingPartyAt } from '../../platform/webauthn.ts'
import { deviceInWords } from '../../ui/device-words.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { creationOptions } from '../threshold/passkey-options.ts'
import { goTo, type SignedIn } from '../threshold/visit.ts'
import { type AddPasskeyFaults, addPasskeyContent, createPasskeyContent } from './add-passkey-view.ts'
import { noteOwnChange } from './own-change.ts'
import { showPasskeys, tellOfPasskey } from './passkeys.ts'
import { prove } from './prove.ts'

/** Signed in this short a time ago, nobody is asked for their password again. */
const FRESH_SECONDS = 5 * 60

const TITLE = 'Add a passkey'
const NOT_MADE =
  'No passkey was added: it took too long, or your browser did not answer as it should. Please try again.'
const KNOWN_ALREADY = 'That passkey belongs to an account already.'
const TOO_MANY = `You have ${MOST_PASSKEYS} passkeys, which is as many as there can be. Remove one that you no longer use.`

/**
 * /portal/account/passkeys/new: a passkey is a whole way in, so whoever adds one shows first that they have the others. Then
 * the authenticator is asked, by the page that answers.
 */
export function addPasskeyRoutes(parts: PortalParts): PortalRoute[] {
  const { db } = parts
  const party = relyingPartyAt(parts.authUrl)

  /** What has to be shown: nothing by who has just signed in. */
  async function askedOf({ session, me }: SignedIn): Promise<{ password: boolean; code: boolean }> {
    if (await isFreshSession(db, session.sid, FRESH_SECONDS)) return { password: false, code: false }
    return { password: true, code: (await findIntegratorTotp(db, me.id)) !== null }
  }

  async function show(visit: SignedIn, status: number, name: string, faults: AddPasskeyFaults): Promise<FastifyReply> {
    const asked = await askedOf(visit)
    const view = { csrf: visit.browser.csrf, email: visit.me.email, name, asked, faults }
    return showPasskeys(visit, status, TITLE, addPasskeyContent(view))
  }

  async function begin(visit: SignedIn): Promise<FastifyReply> {
    const { me, browser, form } = visit
    const { name, fault } = readPasskeyName(form.get('name'))
    if (fault !== null) return show(visit, 400, form.get('name') ?? '', { name: fault })
    const asked = await askedOf(visit)
    const refused = asked.password ? await prove(parts, visit, asked) : null
    if (refused !== null) return show(visit, refused.status, name, refused.faults)
    const known = await keysOf(db, me.id)
    if (known.length >= MOST_PASSKEYS) return show(visit, 400, name, { page: TOO_MANY })
    const options = creationOptions(party, await challengeToAdd(db, browser.id, me.id), me, known)
    const view = { csrf: browser.csrf, name, options: JSON.stringify(options) }
    return showPasskeys(visit, 200, TITLE, createPasskeyContent(view))
  }

  async function add(visit: SignedIn): Promise<FastifyReply> {
    const { me, session, browser, form } = visit
    const { name, fault } = readPasskeyName(form.get('name'))
    const challenge = await takeChallengeToAdd(db, browser.id, me.id)
    if (fault !== null) return show(visit, 400, form.get('name') ?? '', { name: fault })
    const key = challenge === null ? null : await checkNewKey(party, challenge, form.get('credential') ?? '')
    if (key === null) return show(visit, 400, name, { page: NOT_MADE })
    const { outcome } = await transaction(db, async (tx) => {
      const added = await insertPasskey(tx, { integratorId: me.id, sid: session.sid }, { ...key, name })
      if (added.outcome === 'added') await noteOwnChange(tx, visit, 'account.passkey-added', null, { passkey: name })
      return added
    })
    switch (outcome) {
      case 'taken':
        return show(visit, 400, name, { page: KNOWN_ALREADY })
      case 'too-many':
        return show(visit, 400, name, { page: TOO_MANY })
      case 'signed-out':
        return goTo(visit.reply, '/sign-in')
      case 'added':
        tellOfPasskey(parts, visit, 'added')
        return goDone(visit.reply, '/account/passkeys', 'passkey-added')
    }
  }

  return [
    {
      method: 'GET',
      path: '/account/passkeys/new',
      who: 'signed-in',
      answer: (visit) => show(visit, 200, deviceInWords(visit.browser.userAgent), {}),
    },
    { method: 'POST', path: '/account/passkeys/new', who: 'signed-in', answer: begin },
    { method: 'POST', path: '/account/passkeys', who: 'signed-in', answer: add },
  ]
}
