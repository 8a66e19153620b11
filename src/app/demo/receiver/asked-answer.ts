/** How the receiver answers, which the address of a webhook chooses. */
export type AskedAnswer = { status: number; waitSeconds: number }

const LONGEST_WAIT_SECONDS = 60

/**
 * For trying out retries: `/status/503` and `?status=503` answer with that status, `/slow/3` and `?slow=3` after so many
 * seconds. They can stand anywhere in the path, and together. Whatever makes no sense is not asked for.
 */
export function askedAnswer(path: string): AskedAnswer {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const asked = (name: string) =>
    Number(searchParams.get(name) ?? new RegExp(`/${name}/(\\d{1,3})(?:/|$)`).exec(pathname)?.[1])
  const status = asked('status')
  const wait = asked('slow')
  return {
    status: Number.isInteger(status) && status >= 200 && status <= 599 ? status : 200,
    waitSeconds: wait > 0 ? Math.min(wait, LONGEST_WAIT_SECONDS) : 0,
  }
}
