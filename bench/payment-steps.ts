import { randomBytes } from 'node:crypto'
import { type Agent, request } from 'node:http'
import {
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
} from '../apps/server/src/passkeys/software-authenticator.ts'
import { SESSION_BODY, USER_PLACEHOLDER } from './workload.ts'

/** A merchant's backend and its new customer, who pays once, with an authenticator in software. */
export interface Payer {
  /** The main API. */
  readonly url: string
  readonly secretKey: string
  /** Unique; the customer's name as well. */
  readonly name: string
  readonly agent: Agent
  /** What the answers so far said. */
  readonly known: Partial<Known>
}

interface Known {
  sessionId: string
  launch: object
  origin: string
  token: string
  authenticator: SoftwareAuthenticator
  creation: never
  approval: never
  reference: string
  /** The one that is charged, where no session is made. */
  mandate: string
}

export interface PaymentStep {
  readonly name: string
  run(payer: Payer): Promise<void>
}

/** The eight requests of a payment, in order. Each throws when the one before it did not lead to it. */
export const PAYMENT_STEPS: readonly PaymentStep[] = [
  { name: 'creation', run: create },
  { name: 'launch', run: launch },
  { name: 'card entry', run: enterCard },
  { name: 'registration options', run: askForPasskey },
  { name: 'registration', run: register },
  { name: 'approval', run: approve },
  { name: 'result with credential', run: readResult },
  { name: 'report', run: report },
]

/** A charge against a mandate, and nothing before it. */
export const CHARGE_STEP: PaymentStep = { name: 'charge', run: charge }

async function create(payer: Payer): Promise<void> {
  const body = SESSION_BODY.replace(USER_PLACEHOLDER, payer.name)
  const { session_id, iframe_url } = await send(payer, 'POST', `${payer.url}/v1/sessions`, { body })
  const { origin, pathname, hash } = new URL(String(iframe_url))
  const [, , merchant_id] = pathname.split('/')
  const authenticator = createSoftwareAuthenticator({ seed: randomBytes(32), rpId: new URL(origin).hostname, origin })
  const sessionId = String(session_id)
  Object.assign(payer.known, {
    ...{ sessionId, origin, authenticator },
    launch: { merchant_id, session_id, launch_secret: hash.slice(1) },
  })
}

async function launch(payer: Payer): Promise<void> {
  const { session_token } = await post(payer, '/api/launch', known(payer, 'launch'))
  payer.known.token = String(session_token)
}

async function enterCard(payer: Payer): Promise<void> {
  const expiry_year = String(new Date().getFullYear() + 3)
  await post(payer, '/api/cards', { card_number: '4242424242424242', expiry_month: '12', expiry_year, cvv: '123' })
}

async function askForPasskey(payer: Payer): Promise<void> {
  const options = await post(payer, '/api/passkeys/registration-options', { frame: { embedded: false } })
  payer.known.creation = options as never
}

async function register(payer: Payer): Promise<void> {
  const response = known(payer, 'authenticator').register(known(payer, 'creation'))
  const { approval } = await post(payer, '/api/passkeys/registrations', { response, frame: { embedded: false } })
  payer.known.approval = (approval as { options: never }).options
}

async function approve(payer: Payer): Promise<void> {
  await post(payer, '/api/approvals', {
    response: known(payer, 'authenticator').authenticate(known(payer, 'approval')),
  })
}

interface PaymentResult {
  status: string
  transactions: [{ line_items: [{ txn_ref_id: string; token: string | null }] }]
}

async function readResult(payer: Payer): Promise<void> {
  const id = known(payer, 'sessionId')
  const result = (await send(payer, 'GET', `${payer.url}/v1/sessions/${id}/payment-result`)) as unknown as PaymentResult
  const [item] = result.transactions[0].line_items
  if (item.token === null) throw new Error(`Session ${id} has no credential: ${result.status}`)
  payer.known.reference = item.txn_ref_id
}

async function report(payer: Payer): Promise<void> {
  const body = JSON.stringify({ txn_ref_id: known(payer, 'reference'), txn_status: 'APPROVED' })
  await send(payer, 'POST', `${payer.url}/v1/sessions/${known(payer, 'sessionId')}/report-status`, { body })
}

async function charge(payer: Payer): Promise<void> {
  const body = JSON.stringify({ amount: '0.01', reference: payer.name })
  await send(payer, 'POST', `${payer.url}/v1/mandates/${known(payer, 'mandate')}/charge`, { body })
}

function known<Name extends keyof Known>({ known: answers, name }: Payer, fact: Name): Known[Name] {
  const value = answers[fact]
  if (value === undefined) throw new Error(`The payment of ${name} has no ${fact} yet.`)
  return value as Known[Name]
}

/** What the page sends: to its own origin, with the session's token once there is one. */
function post(payer: Payer, path: string, body: object): Promise<Record<string, unknown>> {
  const { token, origin } = payer.known
  return send(payer, 'POST', `${origin}${path}`, { body: JSON.stringify(body), token: token ?? null })
}

interface Sent {
  readonly body?: string
  /** Undefined: the merchant's key. Null: none. */
  readonly token?: string | null
}

function send(payer: Payer, method: string, url: string, { body, token }: Sent = {}): Promise<Record<string, unknown>> {
  const bearer = token === undefined ? payer.secretKey : token
  const headers = {
    'x-journey': payer.name,
    ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: payer.agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
      response.on('end', () => {
        const { statusCode = 0 } = response
        const text = Buffer.concat(chunks).toString('utf8')
        if (statusCode >= 200 && statusCode < 300) resolve(JSON.parse(text))
        else reject(new Error(`${method} ${url} was answered ${statusCode}: ${text}`))
      })
    })
    sent.on('error', reject).end(body)
  })
}
