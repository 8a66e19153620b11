import type { User } from '../users/user.ts'

export type UserClaims = Record<string, unknown> & { sub: string }

/** Which of a person's facts a scope opens (decision B5). The ID token and userinfo say the same. */
export function userClaims(user: User, scope: readonly string[]): UserClaims {
  const has = (word: string) => scope.includes(word)
  return {
    sub: user.id,
    ...((has('profile') || has('name')) && { name: user.name }),
    ...(has('profile') && present({ nickname: user.nickname, picture: user.picture })),
    ...(has('email') && { email: user.email, email_verified: user.emailVerified }),
    ...(has('phone') &&
      user.phoneNumber !== null && { phone_number: user.phoneNumber, phone_number_verified: user.phoneNumberVerified }),
    ...(has('address') && addressClaim(user)),
    ...(has('role') && { role: user.role }),
  }
}

/** The contract's `city` and `state`, and the names OpenID Connect has for them (Core 5.1.1). */
function addressClaim({ city, state }: User): { address?: Record<string, string> } {
  const address = present({ city, state, locality: city, region: state })
  return Object.keys(address).length === 0 ? {} : { address }
}

function present(facts: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}
