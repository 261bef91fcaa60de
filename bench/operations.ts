import type { DatabaseWork } from './processes/bare-database.ts'
import type { BenchedService } from './service.ts'
import { requestsOf, SESSION_BODY, type Workload } from './workload.ts'

/** What is measured: how the service is asked, and what each ceiling does instead. */
export interface Operation {
  readonly name: string
  readonly workload: Workload
  readonly databaseWork: DatabaseWork
  /** A real answer of the service, for the bare server to send. */
  readonly sampleAnswer: string
}

const PENDING_SESSIONS = 512
const AWAITING_SESSIONS = 64
const AT_A_TIME = 8

interface PaymentResult {
  status: string
  transactions: { line_items: { token: string | null }[] }[]
}

/** Fills the service with the sessions to read, and describes the three operations. */
export async function prepareOperations(service: BenchedService, quick: boolean): Promise<Operation[]> {
  const { merchantId, secretKey } = service
  const authorization = `Bearer ${secretKey}`
  const creation: Workload = { method: 'POST', authorization, paths: ['/v1/sessions'], body: SESSION_BODY }
  const scale = quick ? 8 : 1
  const pending = await createSessions(service, creation, PENDING_SESSIONS / scale)
  const awaiting = await createSessions(service, creation, AWAITING_SESSIONS / scale)
  await inTurn(awaiting, (id) =>
    send(service, { method: 'POST', path: `/v1/test_helpers/sessions/${id}/complete`, body: '{}', authorization }),
  )
  const [sample] = await createSessions(service, creation, 1, (answer) => answer)
  const reading = async (name: string, ids: string[], status: string): Promise<Operation> => {
    const paths = ids.map((id) => `/v1/sessions/${id}/payment-result`)
    const workload: Workload = { method: 'GET', authorization, paths, body: null }
    const sampleAnswer = await send(service, { method: 'GET', path: paths[0] ?? '', authorization })
    checkResult(sampleAnswer, status)
    return { name, workload, databaseWork: { kind: 'find', merchantId, sessionIds: ids }, sampleAnswer }
  }
  return [
    {
      name: 'session creation',
      workload: creation,
      databaseWork: { kind: 'create', merchantId },
      sampleAnswer: sample ?? '',
    },
    await reading('payment result, pending', pending, 'pending'),
    await reading('payment result, with credential', awaiting, 'awaiting_result'),
  ]
}

function checkResult(answer: string, status: string): void {
  const result = JSON.parse(answer) as PaymentResult
  const token = result.transactions[0]?.line_items[0]?.token ?? null
  if (result.status === status && (token !== null) === (status === 'awaiting_result')) return
  throw new Error(`A session to read is ${result.status} instead of ${status}.`)
}

async function createSessions(
  service: BenchedService,
  creation: Workload,
  count: number,
  pick = (answer: string) => (JSON.parse(answer) as { session_id: string }).session_id,
): Promise<string[]> {
  const made: string[] = []
  await inTurn(requestsOf(creation, count, service.url), async (request) => {
    made.push(pick(await send(service, { authorization: '', ...request.headers, ...request })))
  })
  return made
}

async function inTurn<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_A_TIME) await Promise.all(items.slice(at, at + AT_A_TIME).map(work))
}

interface Call {
  method: string
  path: string
  authorization: string
  body?: string
}

async function send(service: BenchedService, { method, path, authorization, body }: Call): Promise<string> {
  const headers = { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  const answer = await fetch(service.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`)
  return text
}
