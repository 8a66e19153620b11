import type { Scene } from './scene.ts'

/** Something the service does, of the person, application or webhook with a number. Only `call` is measured. */
export type Touch = {
  title: string
  prepare?: (scene: Scene, number: number) => Promise<unknown>
  call: (scene: Scene, number: number) => Promise<unknown>
  tidy?: (scene: Scene, number: number) => Promise<unknown>
}

/** What finds nothing measures nothing. */
export function found<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`Nothing was found: ${what}`)
  return value
}
