import type { Integrator } from '../../domain/integrators/integrator.ts'
import { CHALLENGE_SECONDS } from '../../domain/integrators/passkey-challenge-store.ts'
import { KEY_ALGORITHMS, type RelyingParty } from '../../platform/webauthn.ts'

/**
 * Options in the JSON form of WebAuthn level 3. The person is verified by the authenticator every time, because a passkey
 * counts as both factors, and it is found without a name being typed (discoverable).
 */
export function creationOptions(
  { id }: RelyingParty,
  challenge: string,
  me: Integrator,
  known: ReadonlyArray<{ id: string; transports: string[] }>,
) {
  return {
    rp: { id, name: 'Handover' },
    user: { id: userHandleOf(me.id), name: me.email, displayName: me.name },
    challenge,
    pubKeyCredParams: KEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_SECONDS * 1_000,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: known.map((each) => ({ type: 'public-key', ...each })),
  }
}

export function requestOptions({ id }: RelyingParty, challenge: string) {
  return { rpId: id, challenge, timeout: CHALLENGE_SECONDS * 1_000, userVerification: 'required' }
}

/** The account as authenticators know it; it comes back with every use. */
export function userHandleOf(integratorId: string): string {
  return Buffer.from(integratorId).toString('base64url')
}
