import { isRecord } from '../../platform/json.ts'
import { type Secret, secret } from '../../platform/secret.ts'
import type { MadeCard } from '../port.ts'

// What is read of Stripe's answers. Anything else than what is expected is `undefined`, and the call is unknown.

export interface IssuedCard extends MadeCard {
  id: string
  isOpen: boolean
  cardholderId: string
  chargeId: string | null
  /** Null: it was not asked for, or is told no more. */
  secrets: { number: Secret; cvc: Secret } | null
}

export function cardOf(value: unknown): IssuedCard | undefined {
  if (!isRecord(value) || value.object !== 'issuing.card') return undefined
  const { id, status, last4, brand, exp_month, exp_year, cardholder, metadata, number, cvc } = value
  const cardholderId = isRecord(cardholder) ? cardholder.id : cardholder
  if (!isId(id, 'ic_') || !isId(cardholderId, 'ich_') || !isDigits(last4, /^\d{4}$/)) return undefined
  if (status !== 'active' && status !== 'inactive' && status !== 'canceled') return undefined
  if (!isNumber(exp_month) || !isNumber(exp_year)) return undefined
  const chargeId = isRecord(metadata) && typeof metadata.charge_id === 'string' ? metadata.charge_id : null
  const hasSecrets = isDigits(number, /^\d{12,19}$/) && isDigits(cvc, /^\d{3,4}$/)
  return {
    ...{ id, cardholderId, chargeId, last4, isOpen: status === 'active', expMonth: exp_month, expYear: exp_year },
    brand: typeof brand === 'string' ? brand.toLowerCase().replaceAll(' ', '-') : null,
    secrets: hasSecrets ? { number: secret(number), cvc: secret(cvc) } : null,
  }
}

export interface Cardholder {
  id: string
  isActive: boolean
  cardId: string | null
}

export function cardholderOf(value: unknown): Cardholder | undefined {
  if (!isRecord(value) || value.object !== 'issuing.cardholder') return undefined
  const { id, status, metadata } = value
  if (!isId(id, 'ich_') || typeof status !== 'string') return undefined
  const cardId = isRecord(metadata) && typeof metadata.card_id === 'string' ? metadata.card_id : null
  return { id, isActive: status === 'active', cardId }
}

export interface Authorization {
  id: string
  approved: boolean
  amountMinor: bigint
  status: 'pending' | 'closed' | 'reversed' | 'expired'
  /** What was asked for and approved, in the order in which it was: a shop may ask for more. */
  approvals: bigint[]
  merchant: string | null
  createdAt: Date
}

const STATUSES = ['pending', 'closed', 'reversed', 'expired'] as const

export function authorizationOf(value: unknown): Authorization | undefined {
  if (!isRecord(value) || value.object !== 'issuing.authorization') return undefined
  const { id, approved, amount, created, request_history: history } = value
  const status = STATUSES.find((known) => known === value.status)
  if (!isId(id, 'iauth_') || typeof approved !== 'boolean' || !isNumber(amount) || !isNumber(created)) return undefined
  if (status === undefined || !Array.isArray(history)) return undefined
  const requests = history.filter(isRecord).map((request) => [request.approved, request.amount] as const)
  if (!requests.every(([, asked]) => isNumber(asked))) return undefined
  const approvals = requests.filter(([isApproved]) => isApproved === true).map(([, asked]) => BigInt(Number(asked)))
  return {
    ...{ id, approved, status, approvals, amountMinor: BigInt(amount) },
    ...{ merchant: merchantOf(value.merchant_data), createdAt: timeOf(created) },
  }
}

export interface Transaction {
  id: string
  kind: 'captured' | 'refunded'
  amountMinor: bigint
  authorizationId: string | null
  cardId: string
  merchant: string | null
  createdAt: Date
  dispute: { id: string; amountMinor: bigint; createdAt: Date } | null
}

const TRANSACTION_KINDS: Readonly<Record<string, Transaction['kind']>> = { capture: 'captured', refund: 'refunded' }

export function transactionOf(value: unknown): Transaction | undefined {
  if (!isRecord(value) || value.object !== 'issuing.transaction') return undefined
  const { id, type, amount, created, authorization, card, dispute } = value
  const kind = TRANSACTION_KINDS[String(type)]
  const [cardId, authorizationId] = [idIn(card), idIn(authorization)]
  // What is taken is below zero, what is given back above it.
  if (!isId(id, 'ipi_') || kind === undefined || !isNumber(created) || typeof amount !== 'number') return undefined
  if (!Number.isSafeInteger(amount) || !isId(cardId, 'ic_')) return undefined
  const disputed = disputeOf(dispute)
  if (disputed === undefined) return undefined
  return {
    ...{ id, kind, cardId, amountMinor: BigInt(Math.abs(amount)), createdAt: timeOf(created), dispute: disputed },
    ...{
      authorizationId: isId(authorizationId, 'iauth_') ? authorizationId : null,
      merchant: merchantOf(value.merchant_data),
    },
  }
}

/** Null: there is none; undefined: it is of another shape. Lists ask for it whole. */
function disputeOf(value: unknown): Transaction['dispute'] | undefined {
  if (value === null || value === undefined) return null
  if (!isRecord(value)) return undefined
  const { id, amount, created } = value
  if (!isId(id, 'idp_') || !isNumber(amount) || !isNumber(created)) return undefined
  return { id, amountMinor: BigInt(amount), createdAt: timeOf(created) }
}

/** An event says of which card it is, or of which transaction; null: of neither. */
export interface StripeEvent {
  cardId: string | null
  transactionId: string | null
}

export function eventOf(value: unknown): StripeEvent | undefined {
  if (!isRecord(value) || value.object !== 'event' || !isRecord(value.data)) return undefined
  const { object } = value.data
  if (!isRecord(object)) return undefined
  const [card, transaction] = [idIn(object.card), idIn(object.transaction)]
  return { cardId: isId(card, 'ic_') ? card : null, transactionId: isId(transaction, 'ipi_') ? transaction : null }
}

function merchantOf(value: unknown): string | null {
  return isRecord(value) && typeof value.name === 'string' ? value.name.slice(0, 200) : null
}

/** What is named, or told whole. */
function idIn(value: unknown): unknown {
  return isRecord(value) ? value.id : value
}

function timeOf(seconds: number): Date {
  return new Date(seconds * 1000)
}

/** What is left of the issuing balance in a currency, in its minor unit; a currency that is not in it has none. */
export function balanceOf(value: unknown, currency: string): bigint | undefined {
  if (!isRecord(value) || value.object !== 'balance' || !isRecord(value.issuing)) return undefined
  const { available } = value.issuing
  if (!Array.isArray(available)) return undefined
  const own: unknown = available.find((one: unknown) => isRecord(one) && one.currency === currency)
  if (own === undefined) return 0n
  const amount = isRecord(own) ? own.amount : undefined
  return typeof amount === 'number' && Number.isSafeInteger(amount) ? BigInt(amount) : undefined
}

/** Whether the account may make cards. */
export function issuesCards(value: unknown): boolean | undefined {
  if (!isRecord(value) || value.object !== 'account' || !isRecord(value.capabilities)) return undefined
  return value.capabilities.card_issuing === 'active'
}

/** A page of a list whose every entry is of the kind; undefined otherwise. */
export function pageOf<T>(value: unknown, read: (entry: unknown) => T | undefined) {
  if (!isRecord(value) || value.object !== 'list' || !Array.isArray(value.data)) return undefined
  if (typeof value.has_more !== 'boolean') return undefined
  const entries = value.data.map(read)
  if (!entries.every((entry): entry is T & {} => entry !== undefined)) return undefined
  const last: unknown = value.data.at(-1)
  return {
    entries,
    after: value.has_more && isRecord(last) && typeof last.id === 'string' ? last.id : null,
    isLast: !value.has_more,
  }
}

function isId(value: unknown, prefix: string): value is string {
  return typeof value === 'string' && value.startsWith(prefix) && /^[A-Za-z0-9_]{5,100}$/.test(value)
}

function isDigits(value: unknown, shape: RegExp): value is string {
  return typeof value === 'string' && shape.test(value)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
