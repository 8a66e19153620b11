const LONGEST_PICTURE = 1_000

/** An address that browsers open by themselves, so it is https and carries no login. */
export function pictureFault(picture: string | null): string | null {
  if (picture === null) return null
  const url = URL.parse(picture)
  if (picture.length > LONGEST_PICTURE || url === null || url.protocol !== 'https:')
    return 'Give the address of a picture that begins with https://.'
  return url.username === '' && url.password === '' && /^[\x21-\x7e]+$/.test(picture)
    ? null
    : 'That address cannot be used for a picture.'
}
