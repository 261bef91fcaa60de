import { setTimeout as delay } from 'node:timers/promises'
import { noteAway, remainingMillis } from '../platform/bounds.ts'
import { OPERATOR } from '../platform/egress/policy.ts'
import { type OutgoingRequest, type SendOutcome, send } from '../platform/egress/send.ts'
import { KeyProviderUnavailable } from '../platform/key-provider.ts'

/** An answer that is no success, from a key management service. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal'
  /** For the log: `ACCESS_DENIED`. */
  readonly code: string
  /** Another try may succeed: the service was busy, or did not answer. */
  readonly isPassing: boolean

  constructor(code: string, { isPassing, cause }: { isPassing: boolean; cause?: unknown }) {
    super(code, { cause })
    this.code = code
    this.isPassing = isPassing
  }
}

/** The service says that this wrapped key, with this context, does not open. Asking again does not help. */
export class DoesNotOpen extends Error {
  override readonly name = 'DoesNotOpen'
}

const ATTEMPTS = 3
const FIRST_PAUSE_MILLIS = 50

/**
 * Asks a key management service: each try has its time, passing failures are tried again twice, and all of it ends with the
 * request that it is for. Throws `DoesNotOpen`, or `KeyProviderUnavailable` for everything else: a key that is disabled, or rights
 * that are missing, say nothing of what was wrapped.
 */
export async function ask<T>(timeoutMillis: number, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    for (let tried = 1; ; tried += 1) {
      const millis = Math.ceil(Math.max(1, Math.min(timeoutMillis, remainingMillis())))
      const failure = await attempt(AbortSignal.timeout(millis)).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
      if ('value' in failure) return failure.value
      const refusal = refusalOf(failure.error)
      if (!refusal.isPassing || tried === ATTEMPTS || remainingMillis() === 0) throw unavailable(refusal)
      await delay(FIRST_PAUSE_MILLIS * 2 ** tried * (0.5 + Math.random() * 0.5))
    }
  } finally {
    noteAway(performance.now() - startedAt)
  }
}

function refusalOf(error: unknown): RemoteRefusal {
  if (error instanceof DoesNotOpen) throw error
  if (error instanceof RemoteRefusal) return error
  // Connections refused and cut, names without an address, and our own time-out.
  return new RemoteRefusal('NO_ANSWER', { isPassing: true, cause: error })
}

function unavailable(refusal: RemoteRefusal): KeyProviderUnavailable {
  return new KeyProviderUnavailable(`The key management service refuses or does not answer (${refusal.code}).`, {
    code: refusal.code,
    cause: refusal.cause ?? refusal,
  })
}

/** 429 and 5xx pass; another status is for the operator to mend. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

/** `AccessDeniedException` → `ACCESS_DENIED`: what a service calls its refusal, as the log takes it. */
export function codeOf(name: string): string {
  const words = name.replace(/(?:Exception|Error)$/, '').replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
  const code = words.replaceAll(/[^A-Za-z0-9]+/g, '_').toUpperCase()
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'REFUSED'
}

export interface JsonAnswer {
  status: number
  /** The members of a JSON object; anything else has none. */
  body: Record<string, unknown>
}

export interface JsonCall {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

/** One HTTP exchange of JSON. Follows no redirect: the token would go with it. Reads no more than a wrapped key needs. */
export async function exchange(url: string, call: JsonCall): Promise<JsonAnswer> {
  const { status, body } = await wholeAnswer({ url, ...call })
  return { status, body: parsed(body.toString('utf8')) }
}

/** An answer of a service that the operator chose, whole. Throws `RemoteRefusal` when there is none. */
export async function wholeAnswer(asked: Omit<OutgoingRequest, 'policy'>): Promise<Answered> {
  const outcome = await send({ ...asked, policy: OPERATOR })
  if (outcome.kind === 'failed') {
    const cause = new Error(`${outcome.category}: ${outcome.detail}`)
    throw new RemoteRefusal('NO_ANSWER', { isPassing: true, cause })
  }
  if (outcome.isComplete) return outcome
  const isLong = outcome.body.length === OPERATOR.bodyBytes
  throw new RemoteRefusal(isLong ? 'ANSWER_TOO_LONG' : 'NO_ANSWER', { isPassing: !isLong })
}

type Answered = Extract<SendOutcome, { kind: 'answered' }>

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** A text of base64 in an answer. A service that answers 200 without it is not the one we think it is. */
export function bytesOf(value: unknown): Buffer {
  if (typeof value === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(value)) return Buffer.from(value, 'base64')
  throw new RemoteRefusal('UNEXPECTED_ANSWER', { isPassing: true })
}
