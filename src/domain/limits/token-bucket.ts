/** So many a second, and so many at once after a pause. */
export type Rate = { perSecond: number; burst: number }

/** A bucket as it stood at a moment; what it holds now follows from the rate. */
export type Bucket = { level: number; at: number }

export function levelAt(bucket: Bucket, rate: Rate, now: number): number {
  return Math.min(rate.burst, bucket.level + ((now - bucket.at) / 1_000) * rate.perSecond)
}

export type Charge = {
  allowed: boolean
  limit: number
  remaining: number
  /** When the bucket is full again, in seconds since 1970. */
  resetAt: number
  /** How long until one more is allowed. */
  retryAfterSeconds: number
}

export function describeCharge(level: number, rate: Rate, allowed: boolean, now: number): Charge {
  return {
    allowed,
    limit: rate.burst,
    remaining: Math.max(0, Math.floor(level)),
    resetAt: Math.ceil(now / 1_000 + (rate.burst - level) / rate.perSecond),
    retryAfterSeconds: Math.max(1, Math.ceil((1 - level) / rate.perSecond)),
  }
}
