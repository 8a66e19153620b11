/** What the load generator is told to do: so many connections, spread over the ports, for so long. */
export type Order = {
  ports: number[]
  connections: number
  seconds: number
  /** Each connection begins at another one and goes on to the next. */
  requests: LoadRequest[]
  /** Where each connection renews its own refresh token, which is added to the form. */
  refreshTokens: string[] | null
  /** Where the answer is a redirect with a code: what is posted with it, or null when the code is all that is wanted. */
  codes?: { exchange: LoadRequest | null }
}

export type LoadRequest = { method: string; path: string; headers: Record<string, string>; body: string }

export type LoadResult = {
  completed: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers other than 2xx, and redirects without a code where one is wanted; how often. */
  failures: Record<string, number>
  refreshTokens: string[] | null
}
