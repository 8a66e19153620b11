/** A parameter or header of a request. `shown` is what people see in place of a secret. */
export type Parameter = { name: string; value: string; shown?: string }

/** A request of the client or of the browser, as it is made and as it is shown. */
export type ClientRequest = {
  method: 'GET' | 'POST'
  /** Without parameters. */
  url: string
  headers: readonly Parameter[]
  parameters: readonly Parameter[]
}

export function urlOf({ url, parameters }: ClientRequest): string {
  return parameters.length === 0 ? url : `${url}?${encoded(parameters)}`
}

export function encoded(parameters: readonly Parameter[]): string {
  return new URLSearchParams(parameters.map(({ name, value }): [string, string] => [name, value])).toString()
}

/** Those that have a value. */
export function parametersOf(values: Record<string, string | null>): Parameter[] {
  return Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
}
