export const MOST_WEB_ORIGINS = 50
const LONGEST_ORIGIN = 300

/** Why an origin cannot be registered for calls from a browser (decision B24); null when it can. */
export function webOriginFault(origin: string): string | null {
  const url = URL.parse(origin)
  if (url === null || !/^https?:\/\//i.test(origin) || origin.length > LONGEST_ORIGIN)
    return 'It is not an origin, such as https://app.example.com.'
  if (origin.includes('*')) return 'A wildcard is not possible: register each origin as it is.'
  if (url.protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))
    return 'It must begin with https://. Without the s is for localhost, 127.0.0.1 and [::1] only.'
  // The header that browsers send is compared to the letter.
  return url.origin === origin ? null : `Scheme, host and port only: ${url.origin}`
}
