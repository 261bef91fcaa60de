import { addSeconds } from '../platform/clock.ts'
import { isOpen } from './rules.ts'
import type { Session } from './store.ts'

// A cardholder who needs more time asks for it once, in the last two minutes (ADR 0085).

const MORE_TIME_SECONDS = 600
/** How long before its end a session may be given more. */
export const ASKABLE_SECONDS = 120

/** When the session ends once it has been given more time. */
export const endWithMore = (expiresAt: Date) => addSeconds(expiresAt, MORE_TIME_SECONDS)

/** From when on more time may be asked for; null: it is not given, or was. */
export function moreTimeFrom(session: Session): Date | null {
  if (!isOpen(session) || session.extendedAt !== null || !lasts(session)) return null
  return addSeconds(session.expiresAt, -ASKABLE_SECONDS)
}

/**
 * Whether what is asked for is still to be had at the later end: a quote is the shop's for a time, a permission ends some day. What carries an
 * agent's charge ends with the question, as its owner may make nothing smaller of it.
 */
export function lasts(session: Session): boolean {
  const end = endWithMore(session.expiresAt)
  if (session.kind === 'mandate_setup')
    return session.validUntil > end && (session.agentId === null || session.adjustable)
  return session.kind !== 'payment' || session.quoteEndsAt === null || session.quoteEndsAt >= end
}

/**
 * The session as its terms were made: those of before it was given more time name its former end, and are good until then. None: that
 * is over.
 */
export function asAsked<S extends Session>(session: S, approveBy: string, now: Date): S | undefined {
  const former = addSeconds(session.expiresAt, -MORE_TIME_SECONDS)
  if (session.extendedAt === null || former.toISOString() !== approveBy) return session
  return former > now ? { ...session, expiresAt: former } : undefined
}
