// Loaded before a process begins (`node --import`): its clock is off by CLOCK_SHIFT_MS, as on a machine that nobody set.
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'])

globalThis.Date = new Proxy(Date, {
  construct: (real, given, made) => Reflect.construct(real, given.length === 0 ? [real.now() + shiftMs] : given, made),
  apply: (real) => new real(real.now() + shiftMs).toString(),
  get: (real, name, receiver) => (name === 'now' ? () => real.now() + shiftMs : Reflect.get(real, name, receiver)),
})
