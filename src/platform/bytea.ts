/**
 * Bytes for an array parameter, which the driver would send as one value: as PostgreSQL writes them, to be cast by
 * `::text[]::bytea[]`.
 */
export function byteaTexts(values: ReadonlyArray<Uint8Array | null>): Array<string | null> {
  return values.map((bytes) => (bytes === null ? null : `\\x${Buffer.from(bytes).toString('hex')}`))
}
