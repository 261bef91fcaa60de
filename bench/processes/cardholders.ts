import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { createSoftwareAuthenticator } from '../../apps/server/src/passkeys/software-authenticator.ts'
import { SESSION_BODY, USER_PLACEHOLDER } from '../workload.ts'
import { cpuMillis } from './cpu.ts'
import { serveTasks } from './tasks.ts'

export interface CardholdersTask {
  readonly url: string
  /** The process under test, whose processor time is counted. */
  readonly pid: number
  readonly secretKey: string
  /** How many whole payments, by how many cardholders at a time. */
  readonly journeys: number
  readonly atOnce: number
}

export interface CardholdersAnswer {
  readonly perSecond: number
  /** Of the service's process, a journey; null where the system does not tell. */
  readonly cpuMicros: number | null
  /** From the merchant's creation to its report, in milliseconds. */
  readonly latencies: readonly number[]
}

/** New customers who pay: a merchant's backend and the page's calls, with an authenticator in software. */
serveTasks<CardholdersTask, CardholdersAnswer>(async ({ url, pid, secretKey, journeys, atOnce }) => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const latencies: number[] = []
  const cpuBefore = await cpuMillis(pid)
  const startedAt = performance.now()
  let next = 0
  const loop = async () => {
    while (next < journeys) {
      const name = `${process.pid}-${startedAt}-${next++}`
      const begunAt = performance.now()
      await pay({ url, secretKey, name, agent })
      latencies.push(performance.now() - begunAt)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
  const seconds = (performance.now() - startedAt) / 1000
  const cpuAfter = await cpuMillis(pid)
  agent.destroy()
  const cpuMicros = cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) * 1000) / journeys
  return { perSecond: journeys / seconds, cpuMicros, latencies }
})

interface Payment {
  url: string
  secretKey: string
  /** Unique; the customer's name as well. */
  name: string
  agent: Agent
}

/** Create, launch, card, passkey, approve, result, report. Throws when any step does not lead to the next. */
async function pay({ url, secretKey, name, agent }: Payment): Promise<void> {
  const merchant = caller({ agent, name, base: url, authorization: `Bearer ${secretKey}` })
  const { session_id, iframe_url } = await merchant(
    'POST',
    '/v1/sessions',
    SESSION_BODY.replace(USER_PLACEHOLDER, name),
  )
  const { origin, pathname, hash } = new URL(String(iframe_url))
  const [, , merchant_id] = pathname.split('/')
  const launch = { merchant_id, session_id, launch_secret: hash.slice(1) }
  const page = { agent, name, base: origin }
  const { session_token } = await caller(page)('POST', '/api/launch', JSON.stringify(launch))
  const surface = caller({ ...page, authorization: `Bearer ${session_token}` })
  const post = (path: string, body: unknown) => surface('POST', path, JSON.stringify(body))
  const authenticator = createSoftwareAuthenticator({ seed: randomBytes(32), rpId: new URL(origin).hostname, origin })
  const expiry_year = String(new Date().getFullYear() + 3)
  await post('/api/cards', { card_number: '4242424242424242', expiry_month: '12', expiry_year, cvv: '123' })
  const creation = await post('/api/passkeys/registration-options', { frame: { embedded: false } })
  const response = authenticator.register(creation as never)
  const registered = await post('/api/passkeys/registrations', { response, frame: { embedded: false } })
  const { options } = registered.approval as { options: never }
  await post('/api/approvals', { response: authenticator.authenticate(options) })
  const result = await merchant('GET', `/v1/sessions/${session_id}/payment-result`)
  const [item] = (result as unknown as PaymentResult).transactions[0].line_items
  if (item.token === null) throw new Error(`Session ${session_id} has no credential: ${result.status}`)
  const report = { txn_ref_id: item.txn_ref_id, txn_status: 'APPROVED' }
  await merchant('POST', `/v1/sessions/${session_id}/report-status`, JSON.stringify(report))
}

interface PaymentResult {
  transactions: [{ line_items: [{ txn_ref_id: string; token: string | null }] }]
}

type Call = (method: string, path: string, body?: string) => Promise<Record<string, unknown>>

function caller(to: { agent: Agent; name: string; base: string; authorization?: string }): Call {
  const { agent, name, base, authorization } = to
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = {
        'x-journey': name,
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      }
      const sent = request(base + path, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
        response.on('end', () => {
          const { statusCode = 0 } = response
          const text = Buffer.concat(chunks).toString('utf8')
          if (statusCode >= 200 && statusCode < 300) resolve(JSON.parse(text))
          else reject(new Error(`${method} ${path} was answered ${statusCode}: ${text}`))
        })
      })
      sent.on('error', reject).end(body)
    })
}
