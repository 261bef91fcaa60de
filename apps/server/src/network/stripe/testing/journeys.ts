import { setTimeout as delay } from 'node:timers/promises'
import type { Currency } from '@mintmark/contract'
import type { Pool } from 'pg'
import { addSeconds } from '../../../platform/clock.ts'
import { newId, newOrderedId } from '../../../platform/ids.ts'
import { isRecord } from '../../../platform/json.ts'
import type { CapableNetwork } from '../../capabilities.ts'
import type { MintRequest, NetworkAnswer } from '../../port.ts'
import { callStripe, type Form, type StripeAccess } from '../client.ts'
import { createStripeNetwork } from '../stripe.ts'
import { CARDHOLDER } from './subject.ts'

// The same journeys at Stripe's test mode and at the stand-in: what comes of each, and which fields its answer has.

export interface Step {
  name: string
  outcome: string
  /** Fields of Stripe's own answer with their types, where the journey calls it directly. */
  shape: Readonly<Record<string, string>>
}

interface Journeys {
  pool: Pool
  access: StripeAccess
  currency: Currency
  /** How long facts may take to be seen after what caused them. */
  patienceMillis: number
}

const AMOUNT = 4_000
const NO_SHAPE = {}

/** Enrols, pays in every way, and ends what it made. */
export async function runJourneys(given: Journeys): Promise<Step[]> {
  const steps: Step[] = []
  const add = (name: string, outcome: string, shape: Step['shape'] = NO_SHAPE) => steps.push({ name, outcome, shape })
  const world = worldOf(given)
  const { network } = world
  const startedAt = new Date(Date.now() - 5_000)
  const cardId = newId('card')
  const enrolled = await network.provisionAccount?.({ cardId, entryId: 'try', stepUp: 'never', account: true })
  add('enrol', enrolled?.outcome ?? 'impossible')
  if (enrolled?.outcome !== 'ok' || enrolled.value.state !== 'provisioned') return steps
  const { tokenRef } = enrolled.value
  try {
    const mandate = await world.mandate(tokenRef)
    add('mandate', mandate.outcome)
    await pay(world, await world.charge(mandate), add)
    const { mandateId } = mandate
    const dead = await world.charge(mandate)
    add('cancel', (await network.cancelInstruction({ mandateId })).outcome)
    const refused = await world.authorize(dead.card, AMOUNT)
    add('a payment behind the end', refused.outcome, refused.shape)
    const news = await network.events?.listNews({ since: startedAt })
    const isTold = news?.outcome === 'ok' && news.value.news.some((one) => one.mandateId === mandateId)
    add('the list of events', isTold ? 'tells of the payments' : `${news?.outcome}, and tells of none`)
  } finally {
    add('clean up', (await network.deleteToken({ cardId, tokenRef })).outcome)
  }
  return steps
}

type Add = (name: string, outcome: string, shape?: Step['shape']) => void
type World = ReturnType<typeof worldOf>
type Charged = Awaited<ReturnType<World['charge']>>

async function pay(world: World, whole: Charged, add: Add): Promise<void> {
  const [part, reversed, lapsed] = [await whole.another(), await whole.another(), await whole.another()]
  add('charge', [whole, part, reversed, lapsed].map(({ outcome }) => outcome).join(' '))
  const declined = await world.authorize(whole.card, AMOUNT + 1)
  add('a payment above the limit', declined.outcome, declined.shape)
  const paid = await world.authorize(whole.card, AMOUNT)
  add('a payment', paid.outcome, paid.shape)
  const captured = await world.settle(paid.id, 'capture')
  add('capture', await world.factsOf(whole, 3), captured.shape)
  const transactionId = await world.transactionOf(whole)
  const refunded = await world.call(`/v1/test_helpers/issuing/transactions/${transactionId}/refund`, {
    refund_amount: 1_000,
  })
  add('refund', await world.factsOf(whole, 4), refunded.shape)
  const partly = await world.authorize(part.card, AMOUNT)
  await world.settle(partly.id, 'capture', { capture_amount: 1_500 })
  add('part capture', await world.factsOf(part, 3))
  const given = await world.authorize(reversed.card, AMOUNT)
  const reversal = await world.settle(given.id, 'reverse')
  add('reversal', await world.factsOf(reversed, 2), reversal.shape)
  const released = await world.network.release(lapsed)
  add('lapse', released.outcome === 'ok' ? released.value.state : released.outcome)
}

function worldOf({ pool, access, currency, patienceMillis }: Journeys) {
  const clock = { now: () => new Date() }
  const network: CapableNetwork = createStripeNetwork({
    ...{ environment: 'sandbox', pool, clock, access, cardholder: CARDHOLDER, currency, timeoutMillis: 30_000 },
    messages: { secrets: [], now: clock.now },
  })

  async function call(path: string, form: Form) {
    const answer = await callStripe(access, { method: 'POST', path, form })
    if (answer.outcome !== 'ok') {
      const code = answer.outcome === 'refused' ? `${answer.status} ${answer.code}` : answer.cause
      return { outcome: `refused: ${code}`, shape: NO_SHAPE, body: {} as Record<string, unknown> }
    }
    return { outcome: 'ok', shape: shapeOf(answer.body), body: answer.body as Record<string, unknown> }
  }

  async function charge(mandate: { mandateId: string; instructionRef: string }) {
    const request: MintRequest = {
      ...{ ...mandate, chargeId: newId('charge'), amount: { minor: BigInt(AMOUNT), currency } },
      ...{ merchantUrl: 'https://shop.example', lifeMinutes: null },
    }
    const { outcome } = await network.mint(request)
    const { rows } = await pool.query('select issuer_card_id as card from issuing.issuer_cards where charge_id = $1', [
      request.chargeId,
    ])
    const another = () => charge(mandate)
    return { ...request, outcome, card: String(rows[0]?.card), another }
  }

  return {
    ...{ network, call, charge },
    async mandate(tokenRef: string) {
      const mandateId = newOrderedId('mandate', clock.now())
      const registered = await network.registerInstruction({
        ...{ mandateId, tokenRef, cap: { minor: BigInt(AMOUNT * 10), currency }, maxCharges: null },
        ...{ frequency: 'monthly', merchant: { name: 'Shop', url: 'https://shop.example', country: 'US' } },
        ...{ validUntil: addSeconds(clock.now(), 86_400), approvalHash: 'a'.repeat(64) },
      })
      return { mandateId, outcome: registered.outcome, instructionRef: okOf(registered)?.instructionRef ?? '' }
    },
    async authorize(card: string, amount: number) {
      const merchant_data = { country: 'US', name: 'SHOP EXAMPLE' }
      const made = await call('/v1/test_helpers/issuing/authorizations', { card, amount, merchant_data })
      const outcome = made.outcome === 'ok' ? `approved ${String(made.body.approved)}` : made.outcome
      return { ...made, outcome, id: String(made.body.id) }
    },
    settle: (id: string, act: 'capture' | 'reverse', form: Form = {}) =>
      call(`/v1/test_helpers/issuing/authorizations/${id}/${act}`, form),
    /** In words, once there are so many. */
    async factsOf({ chargeId }: { chargeId: string }, count: number): Promise<string> {
      for (let waited = 0; ; waited += 500) {
        const facts = okOf((await network.events?.observed({ chargeId })) ?? NOTHING)?.facts ?? []
        if (facts.length >= count || waited >= patienceMillis) {
          return facts
            .map(({ kind, amount }) => `${kind} ${amount.minor}`)
            .toSorted()
            .join(', ')
        }
        await delay(500)
      }
    },
    async transactionOf({ chargeId }: { chargeId: string }): Promise<string> {
      const facts = okOf((await network.events?.observed({ chargeId })) ?? NOTHING)?.facts ?? []
      return facts.find(({ kind }) => kind === 'captured')?.factId ?? 'none'
    },
  }
}

const NOTHING: NetworkAnswer<never> = { outcome: 'unknown', cause: 'no events' }

function okOf<T>(answer: NetworkAnswer<T>): T | undefined {
  return answer.outcome === 'ok' ? answer.value : undefined
}

/** `merchant_data.name: string`: what is nested is named by its path; of lists the first entry. */
export function shapeOf(value: unknown, path = ''): Record<string, string> {
  if (Array.isArray(value)) return value.length === 0 ? {} : shapeOf(value[0], `${path}[]`)
  if (!isRecord(value)) return { [path]: value === null ? 'null' : typeof value }
  const entries = Object.entries(value).map(([name, inner]) => shapeOf(inner, path === '' ? name : `${path}.${name}`))
  return Object.assign({}, ...entries)
}
