export const IS_SOAK = process.env['HANDOVER_SOAK'] === '1'

/** How large a scenario is: as `npm test` has the time for, or in full under `npm run soak`. */
export function soakSize(usual: number, full: number): number {
  return IS_SOAK ? full : usual
}
