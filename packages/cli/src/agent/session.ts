import type {
  AgentPaymentResult,
  AgentSessionStanding,
  CreateAgentSessionRequest,
  MintmarkAgent,
  ReportStatusRequest,
} from '@mintmark/node'
import { type ExitCode, Failure } from '../failure.ts'
import { needed } from '../usage.ts'
import { makeCardFile } from './card-file.ts'
import { chosen } from './chosen.ts'
import { answered } from './client.ts'
import { linkedAgent } from './linked.ts'
import { type OutcomeWords, reportOf } from './outcome.ts'
import { type PurchaseWords, purchaseOf } from './purchase.ts'
import type { Screen } from './screen.ts'
import { waitFor } from './wait.ts'

const RESULT = ['session_id', 'status', 'txn_ref_id', 'error'] as const
/** How long is asked for the answer to a session whose end is not known here, in seconds: longer than one lives. */
const MAX_WAIT_SECONDS = 86_400

/** Asks the owner for one purchase. */
export function createSession(words: PurchaseWords & { wait?: true }, screen: Screen): Promise<ExitCode> {
  return ask(purchaseOf(words), words.wait === true, screen)
}

/** Asks the owner for a purchase or a mandate, and says how to show that to them. */
export async function ask(body: CreateAgentSessionRequest, wait: boolean, screen: Screen): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  const created = await answered(agent.sessions.create(body), ['session_id', 'payment_url', 'expires_at', 'approval'])
  const asked = chosen(created, ['session_id', 'mandate_id', 'payment_url', 'expires_at', 'approval'])
  const words = [
    created.approval.sentence,
    `Your owner approves it here, until ${created.expires_at}:`,
    `  ${created.payment_url}`,
    `Session ${created.session_id}${created.mandate_id === undefined ? '' : `, mandate ${created.mandate_id}`}`,
  ]
  if (!wait) {
    screen.show(asked, words)
    return 0
  }
  for (const line of words) screen.note(line)
  const result = await answer(agent, created.session_id, created.expires_at, screen)
  screen.show({ ...asked, ...chosen(result, RESULT) }, resultWords(result))
  return codeOf(result)
}

const LISTED = [
  ...(['session_id', 'status', 'mandate_id', 'amount', 'currency', 'merchant', 'created_at', 'expires_at'] as const),
  ...(['payment_url', 'txn_ref_id', 'error'] as const),
] as const

/** What this agent has asked for: also where the answer was lost. */
export async function listSessions(query: { limit?: number; cursor?: string }, screen: Screen): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  const { sessions, next_cursor = null } = await answered(agent.sessions.list(query), ['sessions'])
  const more = next_cursor === null ? [] : [`There are more: mintmark session list --cursor ${next_cursor}`]
  const lines = sessions.length === 0 ? ['There are none.'] : sessions.flatMap(listedWords)
  screen.show({ sessions: sessions.map((session) => chosen(session, LISTED)), next_cursor }, [...lines, ...more])
  return 0
}

function listedWords(session: AgentSessionStanding): string[] {
  const { session_id, status, amount, currency, merchant, created_at, expires_at, payment_url } = session
  const line = `${created_at}  ${session_id}  ${amount} ${currency}  ${status}  ${merchant.name}`
  return payment_url === undefined
    ? [line]
    : [line, `  Your owner approves it here, until ${expires_at}: ${payment_url}`]
}

/** How a session stands. */
export async function sessionStatus(sessionId: string, { wait }: { wait?: true }, screen: Screen): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  const until = new Date(Date.now() + MAX_WAIT_SECONDS * 1000).toISOString()
  const result = wait ? await answer(agent, sessionId, until, screen) : await resultOf(agent, sessionId)
  screen.show(chosen(result, RESULT), resultWords(result))
  return codeOf(result)
}

/** The card of a session, into a file. */
export async function sessionResult(
  sessionId: string,
  { outputFile }: { outputFile?: string },
  screen: Screen,
): Promise<ExitCode> {
  const path = needed(outputFile, '--output-file')
  const { agent, key } = await linkedAgent(screen)
  const file = await makeCardFile(path)
  try {
    const result = await resultOf(agent, sessionId)
    const { encrypted_payload: payload } = result
    if (payload !== undefined) await file.keepCard(payload, key)
    const kept =
      payload === undefined
        ? []
        : [`The card is in ${path}. Report what became of it: mintmark session report ${sessionId}`]
    screen.show({ ...chosen(result, RESULT), card_file: payload === undefined ? null : path }, [
      ...resultWords(result),
      ...kept,
    ])
    if (payload !== undefined) return 0
    return codeOf(result) === 2 ? 2 : 1
  } finally {
    await file.close()
  }
}

/** What became of the purchase. */
export async function reportSession(
  sessionId: string,
  words: OutcomeWords & { txnRef?: string },
  screen: Screen,
): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  const txn_ref_id = words.txnRef ?? (await resultOf(agent, sessionId)).txn_ref_id
  if (txn_ref_id === undefined) throw new Failure('NOTHING_TO_REPORT', 'That session has no payment to report.')
  const body: ReportStatusRequest = { txn_ref_id, ...reportOf(words) }
  const reported = await answered(agent.sessions.report(sessionId, body), ['status', 'txn_ref_id'])
  screen.show({ session_id: sessionId, ...chosen(reported, ['status', 'txn_ref_id', 'txn_status']) }, [
    `Reported: ${body.txn_status}. The card is erased.`,
  ])
  return 0
}

const resultOf = (agent: MintmarkAgent, sessionId: string) =>
  answered(agent.sessions.result(sessionId), ['session_id', 'status'])

async function answer(
  agent: MintmarkAgent,
  sessionId: string,
  until: string,
  screen: Screen,
): Promise<AgentPaymentResult> {
  const look = async () => {
    const result = await resultOf(agent, sessionId)
    return isOpen(result) ? undefined : result
  }
  const pending = `Your owner has not answered. Ask again: mintmark session status ${sessionId} --wait`
  const onStop = () => new Failure('SESSION_PENDING', pending, 2, { session_id: sessionId })
  const result = await waitFor(look, { until, screen, onStop })
  if (result === undefined) throw onStop()
  return result
}

const isOpen = ({ status }: AgentPaymentResult) => status === 'pending' || status === 'processing'

/** An owner who did not answer has not refused. */
function codeOf(result: AgentPaymentResult): ExitCode {
  if (isOpen(result) || result.error?.code === 'SESSION_EXPIRED') return 2
  return result.status === 'failed' ? 1 : 0
}

function resultWords({ session_id, status, error }: AgentPaymentResult): string[] {
  if (error !== undefined) return [`${status}: ${error.message} (${error.code})`]
  const next =
    status === 'awaiting_result' ? [`Fetch the card: mintmark session result ${session_id} --output-file FILE`] : []
  return [WORDS[status] ?? status, ...next]
}

const WORDS: Readonly<Record<string, string>> = {
  pending: 'Your owner has not answered yet.',
  processing: 'Your owner has approved; the card is being made.',
  awaiting_result: 'Approved.',
  completed: 'Done.',
  failed: 'Refused.',
}
