import type { FastifyRequest } from 'fastify'

/** What stands in the address at `:name`; empty, which is nobody's id, when the database could not take it. */
export function parameterOf({ params }: FastifyRequest, name: string): string {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined
  // The database takes no NUL, and nothing has one in its id.
  return typeof value === 'string' && !value.includes('\0') ? value : ''
}
