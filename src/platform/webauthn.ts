import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** Who asks for a passkey: a passkey is good for this host alone, and only on pages of this origin. */
export type RelyingParty = { id: string; origin: string }

export function relyingPartyAt(url: string): RelyingParty {
  const { hostname, origin } = new URL(url)
  return { id: hostname, origin }
}

/** Ed25519, P-256 and RSA by their COSE numbers: what every authenticator has one of. */
export const KEY_ALGORITHMS = [-8, -7, -257]

/** What is kept of a passkey to recognise it by; the id in base64url, as browsers say it. */
export type KnownKey = { credentialId: string; publicKey: Buffer; counter: number }
export type NewKey = KnownKey & { transports: string[]; synced: boolean }

const BYTES = Type.String({ pattern: '^[\\w-]+$' })
const NAMED = { id: BYTES, rawId: BYTES, type: Type.Literal('public-key') }
const NEW_KEY = Compile(
  Type.Object({
    ...NAMED,
    response: Type.Object({
      clientDataJSON: BYTES,
      attestationObject: BYTES,
      transports: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z-]{1,20}$' }), { maxItems: 10 })),
    }),
  }),
)
const ASSERTION = Compile(
  Type.Object({
    ...NAMED,
    response: Type.Object({ clientDataJSON: BYTES, authenticatorData: BYTES, signature: BYTES, userHandle: BYTES }),
  }),
)

type Named = { id: string; rawId: string; type: 'public-key' }
type NewKeyAnswer = Named & {
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] }
}
/** What an authenticator says when it signs somebody in. Nothing of it is proven yet. */
export type Assertion = Named & {
  response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle: string }
}

const isNewKey = (raw: unknown): raw is NewKeyAnswer => NEW_KEY.Check(raw)
const isAssertion = (raw: unknown): raw is Assertion => ASSERTION.Check(raw)

/** Null when it is not what a browser would send. A passkey without a user handle does not know whose it is. */
export function readAssertion(text: string): Assertion | null {
  const raw = parsed(text)
  return isAssertion(raw) ? raw : null
}

/** Null unless a person was verified while making it, for us, here and for this challenge. */
export async function checkNewKey(party: RelyingParty, challenge: string, text: string): Promise<NewKey | null> {
  const answer = parsed(text)
  if (!isNewKey(answer)) return null
  const { verifyRegistrationResponse, decodeAttestationObject } = await library()
  return orNull(async () => {
    const attestation = decodeAttestationObject(Buffer.from(answer.response.attestationObject, 'base64url'))
    // We ask for none. One with certificates would have the library fetch whatever addresses stand in them.
    const statement = attestation.get('attStmt')
    if (!['none', 'packed'].includes(attestation.get('fmt')) || statement.get('x5c') !== undefined) return null
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...answer, response: { ...answer.response, transports: [] }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: KEY_ALGORITHMS,
    })
    if (!verified || registrationInfo.credential.id !== answer.id) return null
    const { credential, credentialBackedUp } = registrationInfo
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: answer.response.transports ?? [],
      synced: credentialBackedUp,
    }
  })
}

/** Null unless the known key signed this challenge, here, for a person it verified, and its count went on. */
export async function checkAssertion(
  party: RelyingParty,
  challenge: string,
  assertion: Assertion,
  { credentialId, publicKey, counter }: KnownKey,
): Promise<{ counter: number; synced: boolean } | null> {
  const { verifyAuthenticationResponse } = await library()
  return orNull(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...assertion, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
    })
    if (!verified || assertion.id !== credentialId) return null
    return { counter: authenticationInfo.newCounter, synced: authenticationInfo.credentialBackedUp }
  })
}

/** It brings 25 packages and takes a fifth of a second to load: only whoever uses a passkey waits for it, and once. */
async function library() {
  const [server, { decodeAttestationObject }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  return { ...server, decodeAttestationObject }
}

/** The library says no by throwing, whatever the reason. */
async function orNull<Found>(check: () => Promise<Found | null>): Promise<Found | null> {
  try {
    return await check()
  } catch {
    return null
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
