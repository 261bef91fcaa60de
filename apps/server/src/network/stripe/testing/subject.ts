import Stripe from 'stripe'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { PUBLIC_AND_LOOPBACK } from '../../../platform/egress/policy.ts'
import { secret } from '../../../platform/secret.ts'
import { ManualClock } from '../../../platform/testing/manual-clock.ts'
import type { NetworkMessage } from '../../events-port.ts'
import type { NetworkUnderTest } from '../../testing/conformance-actor.ts'
import { createStripeNetwork } from '../stripe.ts'
import { type FaultyCall, type StripeStandIn, startStripeStandIn } from './stand-in.ts'
import { shownEvent } from './stand-in-payments.ts'

export const KEY = 'sk_test_standin'
export const WEBHOOK_SECRET = 'whsec_standin'
export const CARDHOLDER = {
  name: 'Northpay Ltd',
  address: { line1: '1 Main Street', city: 'Berlin', postalCode: '10115', country: 'DE', state: null },
}

/** The adapter on a database of its own, with a stand-in of its own. */
export async function startSubject() {
  const database = await createTestDatabase()
  const clock = new ManualClock()
  const standIn = await startStripeStandIn(() => clock.now())
  return { ...subjectOn(database, clock, standIn), database, standIn }
}

/** One more node of it. */
export function subjectOn(database: TestDatabase, clock: ManualClock, standIn: StripeStandIn) {
  const access = { key: secret(KEY), apiUrl: standIn.url, policy: { ...PUBLIC_AND_LOOPBACK, bodyBytes: 1_048_576 } }
  const given = {
    environment: 'sandbox',
    pool: database.pool,
    clock,
    access,
    cardholder: CARDHOLDER,
    currency: 'USD',
    timeoutMillis: 8_000,
    messages: { secrets: [secret(WEBHOOK_SECRET)], now: () => new Date() },
  } as const
  const failing = (call: FaultyCall, fault: 'request' | 'answer') => ({
    ...{ number: '', cvv: '', prepare: (cardId: string) => void standIn.fail(cardId, call, fault) },
  })
  return {
    network: createStripeNetwork(given),
    clock,
    testCards: {
      success: { number: '', cvv: '' },
      mintAnswerLost: failing('make', 'answer'),
      mintRequestLost: failing('make', 'request'),
      confirmationFailsOnce: failing('payments', 'request'),
      deletionFailsOnce: failing('end_holder', 'request'),
      deletionAnswerLost: failing('end_holder', 'answer'),
      releaseFailsOnce: failing('end_card', 'request'),
      releaseAnswerLost: failing('end_card', 'answer'),
    },
    async acquirer(credential: { token: { reveal(): string } }, { minor }: { minor: bigint }) {
      const card = standIn.books.byNumber(credential.token.reveal())
      return standIn.payments.authorize(card?.id, { amount: Number(minor), country: 'US' }).approved
    },
    payments: paymentsAt(standIn),
    async close() {
      await standIn.close()
      await database.close()
    },
  }
}

/** What shops do, at the stand-in. */
function paymentsAt({ books, payments }: StripeStandIn): NonNullable<NetworkUnderTest['payments']> {
  const captureOf = (id: string) => payments.transactions().find((one) => one.authorization === id)?.id
  return {
    async authorize(credential, { minor }) {
      const card = books.byNumber(credential.token.reveal())
      const { id, approved } = payments.authorize(card?.id, { amount: Number(minor), country: 'US' })
      return approved ? id : null
    },
    async settle(id, { kind, minor, isPartial = false }) {
      const amount = minor === null ? undefined : minor.toString()
      switch (kind) {
        case 'captured':
          payments.capture(id, { capture_amount: amount, close_authorization: String(!isPartial) })
          return
        case 'reversed':
        case 'expired':
          payments.end(id, kind)
          return
        case 'refunded':
          payments.refund(captureOf(id), { refund_amount: amount })
          return
        case 'disputed':
          payments.dispute(captureOf(id), Number(minor))
      }
    },
    async message() {
      const [event] = payments.events()
      if (event === undefined) throw new Error('Nothing has happened.')
      return signedMessage(JSON.stringify(shownEvent(event)))
    },
  }
}

/** As Stripe signs it, judged by Stripe's own client. */
export function signedMessage(payload: string, secrets = [WEBHOOK_SECRET], timestamp?: number): NetworkMessage {
  const stripe = new Stripe(KEY)
  const headers = secrets.map((secret) =>
    stripe.webhooks.generateTestHeaderString({ payload, secret, ...(timestamp !== undefined && { timestamp }) }),
  )
  // While a secret is exchanged there is one time, and a signature of each.
  const [first = '', ...others] = headers
  const header = [first, ...others.map((one) => one.replace(/^t=\d+,/, ''))].join(',')
  return { body: Buffer.from(payload), headers: { 'stripe-signature': header } }
}
