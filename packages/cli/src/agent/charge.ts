import type { ChargeRequest, MandateChargeResult } from '@mintmark/node'
import { type ExitCode, Failure } from '../failure.ts'
import { type CardFile, makeCardFile } from './card-file.ts'
import { type ChargeBodyWords, chargeBody } from './charge-body.ts'
import { chosen } from './chosen.ts'
import { answered, Unanswered } from './client.ts'
import { type Linked, linkedAgent } from './linked.ts'
import type { Screen } from './screen.ts'
import { waitFor } from './wait.ts'

export interface ChargeWords extends ChargeBodyWords {
  dryRun?: true
  outputFile?: string
  wait?: true
}

const CHARGE = [
  ...(['mandateId', 'transactionId', 'orderId', 'status', 'amount', 'currency', 'fetchStatus', 'expiresAt'] as const),
  ...([
    'errorCode',
    'errorMessage',
    'deduplicated',
    'details',
    'escalation',
    'possible_duplicate_of',
    'dryRun',
  ] as const),
] as const

/**
 * Charges a mandate once. It always has a reference, which is told before anything is sent: an agent that is cut off sends the same again, and
 * gets the same charge.
 */
export async function charge(mandateId: string, words: ChargeWords, screen: Screen): Promise<ExitCode> {
  const { outputFile } = words
  const body = chargeBody(words)
  const { reference } = body
  const linked = await linkedAgent(screen)
  const file = outputFile === undefined ? undefined : await makeCardFile(outputFile)
  try {
    screen.note(`Reference ${reference}: with the same one this charge is made once, however often it is sent.`)
    const made = await chargeOnce(linked, mandateId, body, words, screen)
    const hasCard = await keepCard(made, linked, file)
    const { delivery } = made
    // Without the token: a reader that has it can pay.
    const delivered = delivery && { delivery: chosen(delivery, ['type', 'checkout_session_id', 'handler_id']) }
    const shown = { reference, ...chosen(made, CHARGE), ...delivered, card_file: hasCard ? outputFile : null }
    screen.show(shown, chargeWords(made, { mandateId, reference, file: hasCard ? outputFile : undefined }))
    return codeOf(made)
  } finally {
    await file?.close()
  }
}

async function chargeOnce(
  { agent }: Linked,
  mandateId: string,
  body: ChargeRequest & { reference: string },
  { dryRun, wait }: ChargeWords,
  screen: Screen,
): Promise<MandateChargeResult> {
  const { reference } = body
  const { create, check } = agent.charges
  const send = () =>
    answered<MandateChargeResult>((dryRun === true ? check : create)(mandateId, body), ['status', 'amount', 'currency'])
  const first = await send().catch((error: unknown) => {
    const isUnknown = error instanceof Unanswered || (error instanceof Failure && error.code === 'OUTCOME_UNKNOWN')
    if (!isUnknown && !screen.stopped.aborted) throw error
    const why = screen.stopped.aborted ? 'Stopped.' : (error as Error).message
    const words = `${why} Whether it was charged is not known. Send it again with --reference ${reference}: it is charged once.`
    throw new Failure('OUTCOME_UNKNOWN', words, 2, { reference })
  })
  if (wait !== true || !isAsking(first)) return first
  screen.note(askedWords(first.escalation))
  const pending = `Your owner has not answered. Send the same charge again, with --reference ${reference}.`
  const onStop = () => new Failure('OWNER_ASKED', pending, 2, { reference })
  const look = async () => {
    const again = await send()
    return isAsking(again) ? undefined : again
  }
  return (await waitFor(look, { until: first.escalation.expires_at, screen, onStop })) ?? first
}

/** The card, or what there is in place of one. */
async function keepCard(
  { encrypted_payload: payload, delivery }: MandateChargeResult,
  { key }: Linked,
  file: CardFile | undefined,
): Promise<boolean> {
  if (file === undefined) return false
  if (payload !== undefined) await file.keepCard(payload, key)
  else if (delivery?.token !== undefined) await file.keepToken(delivery)
  else return false
  return true
}

type Escalation = NonNullable<MandateChargeResult['escalation']>

function isAsking(made: MandateChargeResult): made is MandateChargeResult & { escalation: Escalation } {
  return made.status === 'failed' && made.escalation?.status === 'pending'
}

function codeOf(made: MandateChargeResult): ExitCode {
  if (isAsking(made) || made.status === 'initiated') return 2
  return made.status === 'failed' ? 1 : 0
}

const askedWords = ({ url, expires_at }: Escalation) =>
  `Your owner is asked, and can answer until ${expires_at}, at ${url}`

function chargeWords(
  made: MandateChargeResult,
  told: { mandateId: string; reference: string; file: string | undefined },
): string[] {
  const { status, amount, currency, transactionId, errorMessage, possible_duplicate_of: twin } = made
  const doubt = twin === undefined ? [] : [`It is like ${twin}, a charge of the last minutes.`]
  if (made.dryRun === true)
    return [status === 'failed' ? `It would be refused: ${errorMessage}` : 'It would pass. Nothing was charged.']
  if (status !== 'failed')
    return [`${amount} ${currency}  ${transactionId}  ${status}`, ...doubt, ...nextWords(made, told)]
  const asked = isAsking(made)
    ? [askedWords(made.escalation), `Then send the same charge again, with --reference ${told.reference}`]
    : []
  // Which limit it was, what is left and when there will be more is said by the service.
  return [`Refused: ${errorMessage ?? made.errorCode}`, ...asked]
}

function nextWords(
  made: MandateChargeResult,
  { mandateId, reference, file }: { mandateId: string; reference: string; file: string | undefined },
) {
  const report = `Report what became of it: mintmark mandate report ${made.mandateId ?? mandateId} ${made.transactionId}`
  if (file !== undefined) return [`The card is in ${file}. ${report}`]
  if (made.status !== 'awaiting_result') return []
  return [`For its card send the same charge again, with --reference ${reference} and --output-file FILE. ${report}`]
}
