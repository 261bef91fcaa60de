import { createHmac, randomBytes } from 'node:crypto'
import type { Card } from '../buying/acquirer.ts'
import { canonical } from './idempotency.ts'
import { AcpError } from './protocol.ts'

/** What a delegated card may be used for. */
export interface Allowance {
  sessionId: string
  /** In hundredths. */
  most: bigint
  expiresAt: Date
}

interface Token {
  card: Card
  allowance: Allowance
  until: number
}

const KEPT_MILLIS = 24 * 3_600_000

/**
 * Cards that were delegated: in memory, until they are used, or for a day. Nothing of them is written down, not even a hash, for the
 * numbers of cards are few enough to be tried. So a restart forgets them, and their keys: the client delegates again.
 */
export function createTokens(now: () => Date) {
  const tokens = new Map<string, Token>()
  const requests = new Map<string, { fingerprint: string; id: string; created: Date; until: number }>()
  const secret = randomBytes(32)

  function forgetOld(): void {
    const at = now().getTime()
    for (const [id, { until }] of tokens) if (until <= at) tokens.delete(id)
    for (const [key, { until }] of requests) if (until <= at) requests.delete(key)
  }

  /** The same request again is the same token. */
  function delegate(key: string, body: unknown, { card, allowance }: Omit<Token, 'until'>) {
    forgetOld()
    const fingerprint = createHmac('sha256', secret).update(canonical(body)).digest('base64')
    const known = requests.get(key)
    if (known !== undefined && known.fingerprint !== fingerprint) {
      const message = 'Idempotency-Key has already been used with a different request body'
      throw new AcpError(422, 'idempotency_conflict', message)
    }
    if (known !== undefined) return { ...known, isReplay: true }
    const until = now().getTime() + KEPT_MILLIS
    const request = { fingerprint, id: `vt_${randomBytes(16).toString('hex')}`, created: now(), until }
    requests.set(key, request)
    tokens.set(request.id, { card, allowance, until: Math.min(until, allowance.expiresAt.getTime()) })
    return { ...request, isReplay: false }
  }

  /** The card of a token that is good for this payment; undefined: it is none, of another session, too small, over or used. */
  function find(id: string, payment: { sessionId: string; amount: bigint }): Card | undefined {
    forgetOld()
    const { card, allowance } = tokens.get(id) ?? {}
    const isGood = allowance?.sessionId === payment.sessionId && allowance.most >= payment.amount
    return isGood ? card : undefined
  }

  return { delegate, find, spend: (id: string) => tokens.delete(id) }
}

export type Tokens = ReturnType<typeof createTokens>
