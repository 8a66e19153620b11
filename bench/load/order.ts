/** What the load generator is told to do: so many connections, spread over the ports, for so long. */
export type Order = {
  ports: number[]
  path: string
  connections: number
  seconds: number
  /** The same form again and again, or each connection renews its own refresh token. */
  form: string
  refreshTokens: string[] | null
}

export type LoadResult = {
  completed: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers other than 200, and how often. */
  failures: Record<string, number>
  refreshTokens: string[] | null
}
