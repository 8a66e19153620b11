export const ROLES = ['NURSE_USER', 'FACILITY_USER'] as const

export type Role = (typeof ROLES)[number]

/** A person of the marketplace. The id is the token's `sub`; the marketplace may give it (decision A6). */
export type User = {
  id: string
  role: Role
  email: string
  emailVerified: boolean
  username: string | null
  name: string
  nickname: string | null
  picture: string | null
  phoneNumber: string | null
  phoneNumberVerified: boolean
  city: string | null
  state: string | null
}

/** People type their e-mail and username in any case, composed or not; both are compared in this form. */
export function foldLogin(login: string): string {
  return login.trim().normalize('NFKC').toLowerCase()
}
