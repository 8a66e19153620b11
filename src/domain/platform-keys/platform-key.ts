import { newOpaqueSecret } from '../../platform/opaque-secret.ts'
import type { Environment } from '../environment.ts'

/** A key as it may be shown. The key itself is shown once, when it is made. */
export type PlatformKey = {
  id: string
  name: string
  environment: Environment
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** 256 random bits behind a name, so that a key that leaked is found by who looks for it. */
export function newPlatformKey(): string {
  return `hpk_${newOpaqueSecret()}`
}

export function isPlatformKey(text: string): boolean {
  return /^hpk_[\w-]{43}$/.test(text)
}
