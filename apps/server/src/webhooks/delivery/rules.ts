import type { AttemptFailure, DisabledReason, EgressFailure } from '@mintmark/contract'
import { addSeconds } from '../../platform/clock.ts'
import { failureOf } from '../rules.ts'

// The schedule and the circuit of an endpoint. The numbers are the contract's.

export const MAX_ATTEMPTS = 9
export const WINDOW_SECONDS = 72 * 3600
const MAX_RETRY_AFTER_SECONDS = 6 * 3600
/** From one try to the next, before the jitter: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 20 h, 26 h. In all less than the window. */
const DELAYS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 72_000, 93_600] as const
const JITTER = 0.1
/** What would be tried after the end of the window is tried this long before it. */
const LAST_CALL_SECONDS = 60

/** So many tries without an acknowledgement in a row, and the endpoint rests. */
const MAX_FAILURES = 5
const REST_SECONDS = 300

/** What a request came to, as `platform/egress` says it. */
export type SendResult =
  | { kind: 'answered'; status: number; headers: { retryAfter: string | null } }
  | { kind: 'failed'; category: EgressFailure }

/** What that means for the delivery. */
export interface Verdict {
  httpStatus: number | null
  /** Null: it was acknowledged. */
  category: AttemptFailure | null
  /** The endpoint is not sent to any more. */
  disables: DisabledReason | null
  retryAfter: string | null
}

/** 2xx is an acknowledgement, whatever follows the head. */
export function verdictOf(result: SendResult): Verdict {
  const category = failureOf(result)
  if (result.kind === 'failed') {
    const isForbidden = category === 'forbidden_address' || category === 'forbidden_url'
    return { httpStatus: null, category, disables: isForbidden ? 'forbidden_address' : null, retryAfter: null }
  }
  const { status, headers } = result
  return { httpStatus: status, category, disables: category === 'gone' ? 'gone' : null, retryAfter: headers.retryAfter }
}

interface Tried {
  /** This one included. */
  attempts: number
  windowEndsAt: Date
  at: Date
  retryAfterSeconds: number
  /** From 0 to 1. */
  random: number
}

/** When a delivery is tried again; null: it has failed for good. A receiver may ask for more time, up to the end of the window. */
export function nextTry({ attempts, windowEndsAt, at, retryAfterSeconds, random }: Tried): Date | null {
  const delay = DELAYS_SECONDS[attempts - 1]
  if (delay === undefined) return null
  const jittered = delay * (1 - JITTER + 2 * JITTER * random)
  const wanted = addSeconds(at, Math.max(jittered, Math.min(retryAfterSeconds, MAX_RETRY_AFTER_SECONDS)))
  const last = addSeconds(windowEndsAt, -LAST_CALL_SECONDS)
  const next = wanted < last ? wanted : last
  return next > at ? next : null
}

/** Seconds, or a date of HTTP: `Sun, 22 Nov 2026 10:00:00 GMT`. */
const SECONDS = /^\d{1,18}$/
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Zero for what says nothing: absent, negative, in the past, or not of this form. A date is compared with the machine's time. */
export function retryAfterSeconds(header: string | null, machineTime: Date): number {
  const text = header?.trim() ?? ''
  if (SECONDS.test(text)) return Number(text)
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? 0 : Math.max(0, (date - machineTime.getTime()) / 1000)
}

/** What the tries of an endpoint change about it. */
interface Circuit {
  failures: number
  circuitUntil: Date | null
}

/** After the rest one try is a probe: if it fails the endpoint rests again, if it is acknowledged all is as if nothing had been. */
export function circuitAfter({ failures }: Circuit, isAcknowledged: boolean, at: Date): Circuit {
  if (isAcknowledged) return { failures: 0, circuitUntil: null }
  const more = failures + 1
  return { failures: more, circuitUntil: more >= MAX_FAILURES ? addSeconds(at, REST_SECONDS) : null }
}

/** What decides whether an endpoint is sent to. */
export interface Standing extends Circuit {
  revision: number
  enabled: boolean
  verifiedAt: Date | null
  disabledReason: DisabledReason | null
  deletedAt: Date | null
}

/** Whether it takes deliveries, be it after a rest. */
export function takesDeliveries({ enabled, verifiedAt, disabledReason, deletedAt }: Omit<Standing, keyof Circuit>) {
  return enabled && verifiedAt !== null && disabledReason === null && deletedAt === null
}

/** The revision of what is still to be sent. To a deleted endpoint nothing is. */
export function liveRevision({ revision, deletedAt }: Pick<Standing, 'revision' | 'deletedAt'>): number {
  return deletedAt === null ? revision : revision + 1
}
