import type { PaymentFailure } from '@mintmark/contract'
import { type CardDeclineReason, type DeclineReason, isOfTheCard } from '../network/port.ts'
import { addSeconds } from '../platform/clock.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import type { KnownCharge, ReportedCharge } from './store.ts'

/** What a merchant reads when the network refuses to mint; every reason is named, so a new one does not compile. */
const FAILURES: Record<Exclude<DeclineReason, CardDeclineReason>, PaymentFailure> = {
  INSTRUCTION_NOT_ACTIVE: 'PAYMENT_FAILED',
  INSTRUCTION_EXPIRED: 'MANDATE_EXPIRED',
  CURRENCY_MISMATCH: 'PAYMENT_FAILED',
  MERCHANT_NOT_ALLOWED: 'PAYMENT_FAILED',
  MAX_CHARGES_EXCEEDED: 'MAX_CHARGES_EXCEEDED',
  THRESHOLD_EXCEEDED: 'THRESHOLD_EXCEEDED',
  NOT_FOUND: 'PAYMENT_FAILED',
  CONFIRMATION_REFUSED: 'PAYMENT_FAILED',
}

export function failureOf(reason: DeclineReason): PaymentFailure {
  return isOfTheCard(reason) ? 'CARD_DECLINED' : FAILURES[reason]
}

/** A question whose answer was lost may be on its way to the network for as long as so many tries take: most of a minute. */
export const TRIES_UNTIL_IT_IS_LOST = 5

/** What holds of every charge while it is being minted. */
export const BEING_MINTED = {
  status: 'minting',
  credentialKeyId: null,
  lapsesAt: null,
  overdueAt: null,
  reportedOutcome: null,
  paidMinor: null,
  authorizationCode: null,
  responseCode: null,
} as const

/** Where the card of a charge goes, if not to who charges. */
export function deliveryOf({ deliveryShopId: shopId = null, deliverySessionId: sessionId = null }: StoredDelivery) {
  return shopId === null || sessionId === null ? null : { shopId, sessionId }
}
export interface StoredDelivery {
  deliveryShopId?: string | null
  deliverySessionId?: string | null
}

/** Shops know a key again for a day. A caller that asks later might get a second token, so it is asked for half of that. */
const DELEGATION_SECONDS = 12 * 60 * 60

/** Until when a card may be handed to a shop: counted from the mint, as what it lives from says. */
export function delegationEnds({ lifeMinutes }: { lifeMinutes: number | null }, validUntil: Date): Date {
  if (lifeMinutes === null) return validUntil
  const mintedAt = addSeconds(validUntil, -lifeMinutes * 60)
  return new Date(Math.min(Number(validUntil), Number(addSeconds(mintedAt, DELEGATION_SECONDS))))
}

/** True when the time to report a credential is over, and it was not reported. */
export function isLapsed(
  charge: Pick<ReportedCharge, 'chargeStatus' | 'reportedOutcome' | 'lapsesAt'>,
  now: Date,
): boolean {
  const { chargeStatus, reportedOutcome } = charge
  return chargeStatus === 'awaiting_result' && reportedOutcome === null && isOver(charge, now)
}

/**
 * When the credential of a charge against a standing mandate lapses. The network says so; no later than the life that was asked for, and
 * than its mandate, whatever the network says.
 */
export function lapseOf(
  { lifeMinutes, validUntil }: { lifeMinutes: number | null; validUntil: Date },
  minted: Date,
  now: Date,
): Date {
  const ends = [minted, validUntil, ...(lifeMinutes === null ? [] : [addSeconds(now, lifeMinutes * 60)])]
  return new Date(Math.min(...ends.map(Number)))
}

/** Whether the time of a credential is over. */
export function isOver({ lapsesAt }: { lapsesAt: Date | null }, now: Date): boolean {
  return lapsesAt !== null && lapsesAt <= now
}

/** Whether a charge is one against a standing mandate. */
export function isStanding({ standingMandateId = null }: { standingMandateId?: string | null }): boolean {
  return standingMandateId !== null
}

const REPORTABLE_SECONDS = 30 * 24 * 60 * 60

/** The last moment of a lapse after which a charge against a standing mandate can still be reported at `now`. */
export function overdueBound(now: Date): Date {
  return addSeconds(now, -REPORTABLE_SECONDS)
}

const OVERDUE_SECONDS = 24 * 60 * 60

/** When a charge whose credential was used is told to be unreported. */
export function overdueTime(lapsesAt: Date): Date {
  return addSeconds(lapsesAt, OVERDUE_SECONDS)
}

/** Until when a charge that was not reported in time can still be. */
export function reportableUntil(lapsesAt: Date): Date {
  return addSeconds(lapsesAt, REPORTABLE_SECONDS)
}

/** True when a charge against a standing mandate can no longer be reported. */
export function hasRunOut(
  charge: Pick<KnownCharge, 'chargeStatus' | 'reportedOutcome' | 'lapsesAt' | 'standingMandateId'>,
  now: Date,
): boolean {
  const { chargeStatus, reportedOutcome, lapsesAt } = charge
  const isOpen = isStanding(charge) && chargeStatus === 'awaiting_result' && reportedOutcome === null
  return isOpen && lapsesAt !== null && lapsesAt <= overdueBound(now)
}

interface NamedMerchant {
  name: string
  url: string
}

/** Whether a charge means the merchant that its mandate lists: the same origin, and the same name. */
export function isSameMerchant(listed: NamedMerchant, named: NamedMerchant): boolean {
  return originOf(listed.url) === originOf(named.url) && plainName(listed.name) === plainName(named.name)
}

/** Letter case, a port that is the usual one, a dot at the end of the host, path and query do not count. */
function originOf(url: string): string {
  const parsed = new URL(url)
  parsed.hostname = parsed.hostname.replace(/\.$/, '')
  return parsed.origin
}

/** One form of letters that Unicode can write in several; white space and letter case do not count. */
function plainName(name: string): string {
  return foldWhiteSpace(name).normalize('NFKC').toLowerCase()
}
