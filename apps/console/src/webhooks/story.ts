import type { AttemptFailure, PauseReason } from '@mintmark/contract/webhooks'
import type { WebhookDelivery } from '@mintmark/contract/wire/deliveries'

/** Why something does not arrive, and what to do about it. */
export interface Cause {
  why: string
  next: string
}

export interface DeliveryTable {
  /** `answer`: the status that the endpoint answered with; null: none came. */
  arrived: (answer: number | null) => Cause
  sending: Cause
  /** It was tried and is tried again. */
  notYet: string
  /** All attempts or all its time are used up. */
  never: string
  cancelled: Cause
  lostOnTheWay: Cause
  paused: Record<PauseReason, Cause>
  failures: Record<AttemptFailure, (answer: number | null) => Cause>
}

export interface DeliveryStory {
  what: string
  /** Why it has not arrived; empty where that is said already. */
  why: string
  next: string
  tone: 'good' | 'bad' | 'warn' | 'info'
}

type Standing = Pick<WebhookDelivery, 'state' | 'pause_reason' | 'last_attempt'>

/** Total: over all states, reasons to pause and failures of an attempt. */
export function deliveryStory(table: DeliveryTable, delivery: Standing): DeliveryStory {
  const { state, pause_reason: paused, last_attempt: last } = delivery
  if (state === 'delivered') return plain(table.arrived(last?.http_status ?? null), 'good')
  if (state === 'cancelled') return plain(table.cancelled, 'info')
  if (state === 'queued' && paused !== null) return plain(table.paused[paused], 'warn')
  const cause = causeOf(table, delivery)
  if (cause === undefined) return state === 'failed' ? { ...NO_CAUSE, what: table.never } : plain(table.sending, 'info')
  const tone = state === 'failed' ? 'bad' : 'warn'
  return { what: state === 'failed' ? table.never : table.notYet, ...cause, tone }
}

const NO_CAUSE = { why: '', next: '', tone: 'bad' } as const

const plain = ({ why, next }: Cause, tone: DeliveryStory['tone']): DeliveryStory => ({ what: why, why: '', next, tone })

/** Why its newest attempt was not acknowledged; undefined: there was none, or it is on its way. */
export function causeOf(
  table: DeliveryTable,
  { last_attempt: last }: Pick<Standing, 'last_attempt'>,
): Cause | undefined {
  if (last === null) return undefined
  if (last.category !== null) return table.failures[last.category](last.http_status)
  return last.finished_at === null ? undefined : table.lostOnTheWay
}
