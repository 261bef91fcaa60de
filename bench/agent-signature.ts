import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { signRequest } from '@mintmark/node'
import { readSignature, type SignedMessage, verifySignature } from '../apps/server/src/agents/signature/verify.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'

// node bench/agent-signature.ts            some seconds
// node bench/agent-signature.ts --quick    shows that it works
//
// What the service spends on the signature of an agent's request with a body of 2 KB: reading it, with the digest, and verifying it. Each
// request is another one. Elapsed times of single requests have the other work of the machine in them; the processor time is this thread's
// over all requests, because the system counts it in steps of some milliseconds.

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const REQUESTS = options.quick ? 500 : 20_000
const UNTIMED = options.quick ? 100 : 5_000
const BODY_BYTES = 2_048

const { privateKey } = generateKeyPairSync('ed25519')
// As it comes from the database.
const publicKey = createPublicKey({
  key: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }),
  format: 'der',
  type: 'spki',
})
const URL_OF_SESSIONS = 'https://api.mintmark.example/v1/sessions/agent'

const messages = Array.from({ length: REQUESTS }, (_, round) => messageOf(round))
const now = new Date()
for (const message of messages.slice(0, UNTIMED)) verified(message)
const before = process.threadCpuUsage()
const times = messages.map(verified)
const { user, system } = process.threadCpuUsage(before)

const [load = 0] = loadavg()
console.log(`${REQUESTS} requests with a body of ${BODY_BYTES} bytes, load ${load.toFixed(1)}; microseconds`)
const rows = (['readSignature', 'verifySignature', 'both'] as const).map((step) => {
  const all = times.map((time) => time[step])
  return [step, ...[0.5, 0.99, 1].map((share) => quantile(all, share).toFixed(0))]
})
console.log(alignColumns([['elapsed', 'p50', 'p99', 'longest'], ...rows]).join('\n'))
console.log(`processor time a request: ${((user + system) / REQUESTS).toFixed(0)}`)
const both = times.map((time) => time.both)
console.log(`aim: below 1000 at p99: ${quantile(both, 0.99) < 1_000 ? 'met' : 'missed'}`)

function messageOf(round: number): SignedMessage {
  const products = 'x'.repeat(BODY_BYTES - 40)
  const body = Buffer.from(JSON.stringify({ round: `${round}`.padStart(9, '0'), products })).subarray(0, BODY_BYTES)
  const signature = signRequest({ method: 'POST', url: URL_OF_SESSIONS, body }, { privateKey, keyId: 'agt_bench' })
  // What a client sends beside it.
  const others = {
    host: 'api.mintmark.example',
    accept: '*/*',
    'user-agent': 'bench',
    'content-type': 'application/json',
  }
  const headers = Object.entries({ ...others, ...signature })
  return { method: 'POST', authority: 'api.mintmark.example', rawTarget: '/v1/sessions/agent', headers, body }
}

/** How long each step took, in microseconds. */
function verified(message: SignedMessage) {
  const start = performance.now()
  const claim = readSignature(message, now)
  const middle = performance.now()
  const refusal = 'reason' in claim ? claim : verifySignature(claim, publicKey)
  const end = performance.now()
  if (refusal !== undefined) throw new Error(refusal.message)
  const [readMillis, verifyMillis] = [middle - start, end - middle]
  return { readSignature: readMillis * 1_000, verifySignature: verifyMillis * 1_000, both: (end - start) * 1_000 }
}
