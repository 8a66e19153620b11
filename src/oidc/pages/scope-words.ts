/** What a scope means to the person who allows it. */
const WORDS: Record<string, string> = {
  openid: 'Know who you are when you sign in',
  profile: 'See your name, nickname and picture',
  name: 'See your name',
  email: 'See your e-mail address',
  phone: 'See your phone number',
  address: 'See your city and state',
  role: 'See whether you are a nurse or a facility user',
  offline_access: 'Stay connected when you are not using it',
  'marketplace:read': 'Read shifts and facilities that you can see',
  'marketplace:write': 'Change shifts and register notifications for you',
}

/** In the order above, whatever order they were asked for in. */
export function scopeInWords(scope: readonly string[]): string[] {
  const order = Object.keys(WORDS)
  // A profile has the name in it.
  const said = scope.filter((word) => !(word === 'name' && scope.includes('profile')))
  return said.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)).map((word) => WORDS[word] ?? word)
}
