// Loaded before a process begins (`node --import`): the whole internet is one receiver on this machine, at RECEIVER_BEHIND_ALL.
// Every name has an address in a network that nobody was ever given, which counts as public; dialling it leads to loopback.
import { Resolver } from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import tls from 'node:tls'

const NOBODYS = '2d00::1'
const port = Number(process.env['RECEIVER_BEHIND_ALL'])

Object.assign(Resolver.prototype, { resolve4: async () => [], resolve6: async () => [NOBODYS] })
tls.connect = new Proxy(tls.connect, {
  apply: (real, that, [place]: [tls.ConnectionOptions]) =>
    Reflect.apply(real, that, [place.host === NOBODYS ? { ...place, host: '127.0.0.1', port } : place]),
})
syncBuiltinESMExports()
