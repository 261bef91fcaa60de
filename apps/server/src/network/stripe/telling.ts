import { createHmac, timingSafeEqual } from 'node:crypto'
import { addSeconds } from '../../platform/clock.ts'
import { isRecord } from '../../platform/json.ts'
import type { Secret } from '../../platform/secret.ts'
import { ok } from '../answers.ts'
import type { ChargeNews, NetworkEvents, NetworkMessage, ReceivedMessage } from '../events-port.ts'
import { findCardOfIssuer } from './card-store.ts'
import { type StripeDeps, unclear } from './deps.ts'
import { observed } from './facts.ts'
import { eventOf, type StripeEvent } from './shapes.ts'

/** What messages are verified with. */
export interface StripeMessages {
  /** Those of the endpoint; two while one is exchanged for the other. */
  secrets: readonly Secret[]
  /** The time of the machine: a sandbox moves its own clock, and Stripe does not. */
  now: () => Date
}

/** Events of the last minutes are listed in any case. */
const LATE_SECONDS = 15 * 60

/** `NetworkEvents` of Stripe. */
export function createStripeEvents(deps: StripeDeps, messages: StripeMessages): NetworkEvents {
  return {
    path: '/v1/network/stripe/events',
    receive: (message) => receive(deps, messages, message),
    observed: (request) => observed(deps, request),
    async listNews({ since }) {
      // A sandbox may have moved its clock to where Stripe's has not come yet.
      const latest = addSeconds(messages.now(), -LATE_SECONDS)
      const listed = await deps.api.listEvents(since < latest ? since : latest)
      if (listed.outcome !== 'ok') return listed.outcome === 'refused' ? unclear(listed) : listed
      const news = new Map<string, ChargeNews>()
      for (const event of listed.value) {
        const found = await newsOf(deps, event)
        if (found === 'unknown') return { outcome: 'unknown', cause: 'an event of an unknown transaction' }
        if (found !== null) news.set(found.chargeId, found)
      }
      return ok({ news: [...news.values()] })
    },
  }
}

async function receive(
  deps: StripeDeps,
  messages: StripeMessages,
  { body, headers }: NetworkMessage,
): Promise<ReceivedMessage> {
  if (!isSigned(messages, body, headers['stripe-signature'])) return { outcome: 'refused' }
  const event = eventOf(parsed(body))
  // Signed, and about no payment: there is nothing to do, and it need not come again.
  if (event === undefined) return { outcome: 'ok', value: { news: [] } }
  const found = await newsOf(deps, event)
  if (found === 'unknown') return { outcome: 'unknown', cause: 'a transaction that was not read' }
  return { outcome: 'ok', value: { news: found === null ? [] : [found] } }
}

/** Null: it is of no card that was made for a charge. */
async function newsOf(deps: StripeDeps, event: StripeEvent): Promise<ChargeNews | null | 'unknown'> {
  const issuerCardId = event.cardId ?? (await cardOfTransaction(deps, event))
  if (issuerCardId === 'unknown') return 'unknown'
  if (issuerCardId === null) return null
  const row = await findCardOfIssuer(deps.pool, { issuerCardId })
  return row === undefined || row.mandateId === null ? null : { chargeId: row.chargeId, mandateId: row.mandateId }
}

async function cardOfTransaction({ api }: StripeDeps, { transactionId }: StripeEvent): Promise<string | null> {
  if (transactionId === null) return null
  const found = await api.findTransaction(transactionId)
  if (found.outcome === 'ok') return found.value.cardId
  return found.outcome === 'refused' ? null : 'unknown'
}

/** How old a message may be, and how far ahead its clock. */
const TOLERANCE_SECONDS = 300
/** As many signatures as there are looked at: each costs a hash. */
const MAX_SIGNATURES = 8

/**
 * `t=…,v1=…`: an HMAC over the time and the raw bytes. Every secret is compared with every signature, in constant time.
 */
function isSigned({ secrets, now }: StripeMessages, body: Buffer, header: string | string[] | undefined): boolean {
  if (typeof header !== 'string' || header.length > 2_000) return false
  const parts = header.split(',').map((part) => part.trim().split('='))
  const times = parts.filter(([name]) => name === 't').map(([, value]) => value ?? '')
  const [time = ''] = times
  if (times.length !== 1 || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(now().getTime() / 1000 - Number(time)) > TOLERANCE_SECONDS) return false
  const given = parts
    .filter(([name, value = '']) => name === 'v1' && /^[0-9a-f]{64}$/.test(value))
    .slice(0, MAX_SIGNATURES)
    .map(([, value = '']) => Buffer.from(value, 'hex'))
  const right = secrets.map((secret) => createHmac('sha256', secret.reveal()).update(`${time}.`).update(body).digest())
  return right.flatMap((one) => given.map((other) => timingSafeEqual(one, other))).some(Boolean)
}

function parsed(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
