import { connect } from 'node:net'
import { parseAddress } from '../../src/platform/egress/addresses.ts'
import { type EgressPolicy, PUBLIC_ONLY } from '../../src/platform/egress/policy.ts'
import { resolvePublicly } from '../../src/platform/egress/resolve.ts'
import { type SendOutcome, send } from '../../src/platform/egress/send.ts'
import { answers, redirects } from '../receivers/behaviours.ts'
import { issue } from '../receivers/certificates.ts'
import { type Name, startNameServer } from '../receivers/name-server.ts'
import { startReceiver } from '../receivers/receiver.ts'
import { forbiddenAddresses, hostileUrls } from './hostile-urls.ts'
import { packetsSent } from './namespace.ts'

// Runs in a network of its own, in which every address is this machine. The receiver has two public addresses; it
// listens on all others too, as the canary. The policy is that of production, with a name server of the test.

export interface Report {
  urls: number
  addresses: number
  /** Packets that the network carried while URLs with forbidden addresses were called. */
  literalPackets: number
  /** TCP connections beyond those to the public addresses, in each part. */
  strays: Record<'literals' | 'names' | 'rebinding' | 'redirects', number>
  /** How each part ended, counted. */
  outcomes: Record<'literals' | 'names' | 'rebinding' | 'redirects', Record<string, number>>
  /**
   * What shows that the canary would hear: a request to each public address, and plain connections to forbidden ones.
   */
  controls: { answered: string[]; heard: number }
}

const PUBLIC = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'] as const
const names: Record<string, Name> = { 'receiver.example': { answers: [PUBLIC] } }
const nameServer = await startNameServer(names)
const policy: EgressPolicy = { ...PUBLIC_ONLY, resolve: resolvePublicly([nameServer.address]) }
const credentials = issue({ names: ['receiver.example', 'hook.example', PUBLIC[0]] })
const receiver = await startReceiver({ host: '::', port: 443, tls: { credentials } })
const others = await Promise.all([80, 8443].map((port) => startReceiver({ host: '::', port })))

const urls = hostileUrls(Number(process.argv[2]))
const { ipv4, ipv6 } = forbiddenAddresses(Number(process.argv[2]))
const addresses = [...ipv4, ...ipv6]
const report: Report = {
  urls: urls.length,
  addresses: addresses.length,
  literalPackets: 0,
  strays: { literals: 0, names: 0, rebinding: 0, redirects: 0 },
  outcomes: { literals: {}, names: {}, rebinding: {}, redirects: {} },
  controls: { answered: [], heard: 0 },
}

const post = (url: string) => send({ url, method: 'POST', headers: {}, body: '{}', policy })

type Part = keyof Report['outcomes']
function count(part: Part, outcome: SendOutcome): void {
  const name = outcome.kind === 'failed' ? outcome.category : String(outcome.status)
  report.outcomes[part][name] = (report.outcomes[part][name] ?? 0) + 1
}

const isPublicOne = (text: string) =>
  PUBLIC.some((address) => parseAddress(address)?.value === parseAddress(text.replace(/^::ffff:/, ''))?.value)
const strays = () =>
  [receiver, ...others].reduce((sum, one) => sum + one.reachedAt.filter((address) => !isPublicOne(address)).length, 0)

async function part(name: Part, work: () => Promise<void>): Promise<void> {
  const before = strays()
  await work()
  report.strays[name] = strays() - before
}

const before = packetsSent()
await part('literals', async () => {
  for (const { url } of urls) count('literals', await post(url))
})
report.literalPackets = packetsSent() - before

await part('names', async () => {
  for (const address of addresses) {
    for (const list of [[address], [PUBLIC[0], address], [PUBLIC[1], address], [address, ...PUBLIC]]) {
      names['hook.example'] = { answers: [list], ttlSeconds: 0 }
      count('names', await post('https://hook.example/'))
    }
  }
})

const some = addresses.filter((_, index) => index % Math.ceil(addresses.length / 100) === 0)
await part('rebinding', async () => {
  for (const address of some) {
    // The first request ends with the handshake, because the certificate is of another name; by then it has gone where
    // it may.
    const fresh = `n${some.indexOf(address)}.hook.example`
    names[fresh] = { answers: [[PUBLIC[0]], [address]], ttlSeconds: 0 }
    count('rebinding', await post(`https://${fresh}/`))
    count('rebinding', await post(`https://${fresh}/`))
  }
})

await part('redirects', async () => {
  const kinds = new Map(urls.map(({ form, url }) => [form, url]))
  for (const url of kinds.values()) {
    // A header cannot carry all of them as they are.
    receiver.behave(redirects(302, encodeURI(url)))
    count('redirects', await post('https://receiver.example/'))
  }
})

receiver.behave(answers(200))
for (const url of ['https://receiver.example/', `https://${PUBLIC[0]}/`]) {
  const outcome = await post(url)
  report.controls.answered.push(outcome.kind === 'failed' ? outcome.category : String(outcome.status))
}
const quiet = strays()
for (const address of ['127.0.0.1', '169.254.169.254', '10.1.2.3', '198.18.0.1', 'fc00::1', '64:ff9b::7f00:1']) {
  for (const port of [443, 80]) await reach(address, port)
}
report.controls.heard = strays() - quiet

function reach(host: string, port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => socket.destroy())
    socket.on('error', () => undefined).on('close', () => setTimeout(resolve, 20))
  })
}

await Promise.all([receiver, ...others, nameServer].map((one) => one.close()))
process.stdout.write(JSON.stringify(report))
