import { single } from '../db/command.ts'
import { merchantLookupFailed } from '../merchants/errors.ts'
import { type ErrorDetails, fieldErrors, PublicError } from '../platform/errors.ts'
import { valueAt } from '../platform/json.ts'
import type { Secret } from '../platform/secret.ts'
import { type CardInput, type EnteredCard, parseCard, parseCvv } from '../vault/service.ts'
import type { CardDeps } from './deps.ts'
import { cardRefused, networkUnavailable } from './errors.ts'
import { publicReason } from './rules.ts'

/** A card as it came, with its security code if that was given. */
export type RecordInput = CardInput & { cvv?: string | undefined }

/** What may be told of a record; its id is the reference to it. */
export type AddedRecord = Omit<EnteredCard, 'number'> & { id: string }

/**
 * Puts a card in the vault for a merchant. With a security code the network is asked first, outside any transaction, and what
 * it does not accept is not stored; the code is forgotten. The number is a merchant's to use, and no customer's card yet.
 */
export async function addRecord(deps: CardDeps, merchantId: string, input: RecordInput): Promise<AddedRecord> {
  const { card, cvv } = parseInput(input, deps.clock.now())
  if (cvv !== undefined) await verify(deps, card, cvv)
  const sealed = await deps.vault.sealCard(merchantId, card)
  const added = await single(deps, { name: 'cards.add_record', silent: 'card' }, ({ on, at }) =>
    deps.vault.insertRecord(on, merchantId, sealed, at),
  )
  if (added === undefined) throw merchantLookupFailed()
  const { last4, brand, expMonth, expYear } = card
  return { ...added, last4, brand, expMonth, expYear }
}

/** What is wrong with the digits of a body, which may be anything: what is missing, or of another type, is for its schema to refuse. */
export function recordProblems({ clock }: Pick<CardDeps, 'clock'>, body: unknown): ErrorDetails {
  const text = (field: string) => textOf(valueAt(body, field))
  const [card_number, expiry_month, expiry_year] = [text('card_number'), text('expiry_month'), text('expiry_year')]
  const cvv = valueAt(body, 'cvv') === undefined ? undefined : text('cvv')
  return read({ card_number, expiry_month, expiry_year, cvv }, clock.now()).problems
}

/** Empty for what is neither text nor number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function parseInput(input: RecordInput, now: Date): { card: EnteredCard; cvv: Secret | undefined } {
  const { card, cvv, problems } = read(input, now)
  if (card === undefined || Object.keys(problems).length > 0) throw fieldErrors(problems)
  return { card, cvv }
}

/** Names every failing field, and never a digit of what was sent. */
function read(input: RecordInput, now: Date) {
  const problems: ErrorDetails = {}
  const card = collect(problems, () => parseCard(input, now))
  const { cvv: given } = input
  const cvv = given === undefined ? undefined : collect(problems, () => parseCvv(given, card?.brand ?? null))
  return { card, cvv, problems }
}

function collect<T>(problems: ErrorDetails, parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof PublicError) || error.details === undefined) throw error
    Object.assign(problems, error.details)
    return undefined
  }
}

async function verify({ vault }: CardDeps, card: EnteredCard, cvv: Secret): Promise<void> {
  const answer = await vault.verifyCard(card, cvv)
  switch (answer.outcome) {
    case 'ok':
      return
    case 'unknown':
      throw networkUnavailable({ cause: new Error(answer.cause) })
    case 'declined':
      throw cardRefused({ details: { reason: publicReason(answer.reason) } })
  }
}
