/**
 * What looks like a secret and is none, one by one: its fingerprint (the scan prints it), what it is and why it may stand
 * here. `onlyInHistory` is what no file of today has any more.
 */
export type AllowedFind = { fingerprint: string; reason: string; onlyInHistory?: true }

export const ALLOWED_FINDS: readonly AllowedFind[] = [
  { fingerprint: '25a39a6422e30b20', reason: 'the webhook secret of every example, in OpenAPI, guides and tests' },
  { fingerprint: '14eb00ca57f0993c', reason: 'the same with two letters changed: another secret, in a table test' },
  { fingerprint: '96ad2ccd81462a76', reason: 'the secret of the Standard Webhooks test vector' },
  { fingerprint: '5b0371650240c2da', reason: 'spells "secret-of-this-webhook", in the guide to the command line' },
  { fingerprint: '8e216d29d82dda6c', reason: 'the example answer of the guide to registering a webhook' },
  { fingerprint: '7d3125607980970e', reason: 'spells "not a secret: it stands in the docs"' },
  { fingerprint: '30c04e42f04c327f', reason: 'spells "vectors: the first of two secrets"' },
  { fingerprint: 'a8b96695f66f8068', reason: 'spells "vectors: and the other one of two"' },
  { fingerprint: 'da02850c955b2306', reason: 'spells a sentence, in a test of the portal' },
  { fingerprint: '408959a7dfbb06b9', reason: 'the beginning of an access token in the guides, cut off' },
  { fingerprint: '85ddb0c8ca59cda1', reason: 'the beginning of an ID token in the guides, cut off' },
  { fingerprint: '13d31e961a1ad8ec', reason: 'the code verifier of RFC 7636 appendix B' },
  { fingerprint: '0d299b1eb548708d', reason: 'the code challenge of RFC 7636 appendix B' },
  { fingerprint: '219e1abc3b054668', reason: 'a signature, as the guide to verifying computes it' },
  { fingerprint: 'c394cb687e5747a0', reason: 'a signature of the vectors, without the v1 in front' },
  { fingerprint: '976db474c6999b3c', reason: 'the tag of a test vector of the argon2 reference implementation' },
]
