import { expect, type TestContext, test } from 'vitest'
import { addSeconds } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { NetworkEvents, NetworkMessage } from '../events-port.ts'
import type { MintRequest } from '../port.ts'
import { type Actor, many, needs, okValue, reasonIs, URL_OF_SHOP } from './conformance-actor.ts'
import type { Start } from './conformance-cards.ts'

/** What a test does to payments, and what the network then tells. A network that observes outcomes brings it. */
function observing(context: TestContext, actor: Actor) {
  needs(context, actor, 'observesOutcomes', true)
  const { payments, network } = actor.subject
  if (payments === undefined || network.events === undefined) {
    throw new Error('The network tells what became of payments, and nothing of it can be seen here.')
  }
  const { events } = network
  const told = async ({ chargeId }: MintRequest) =>
    okValue(await events.observed({ chargeId })).facts.map(({ kind, amount }) => `${kind} ${amount.minor}`)
  /** A charge of 40.00, paid with. */
  async function paid(minor = 4_000n) {
    const charge = await actor.charge()
    const credential = okValue(await actor.network.mint(charge))
    const authorizationId = await payments?.authorize(credential, { minor, url: URL_OF_SHOP })
    if (authorizationId == null) throw new Error('The payment was declined.')
    return { charge, credential, authorizationId }
  }
  return { payments, events, told, paid }
}

/** Whether another charge of the same instruction may be of that amount, and of no cent more. */
async function expectLeft(actor: Actor, charge: MintRequest, minor: bigint): Promise<void> {
  const next = (amount: bigint) => ({
    ...{ ...charge, chargeId: newId('charge'), amount: { minor: amount, currency: 'USD' as const } },
  })
  expect(await actor.network.mint(next(minor + 1n))).toEqual(reasonIs('THRESHOLD_EXCEEDED'))
  expect(await actor.network.mint(next(minor))).toMatchObject({ outcome: 'ok' })
}

export function describeObserved(start: Start): void {
  test('what was never minted, and what was never paid with, has no facts', async (context) => {
    const actor = start()
    const { told } = observing(context, actor)
    const charge = await actor.charge()
    expect(await told(charge)).toEqual([])
    await actor.network.mint(charge)
    expect(await told(charge)).toEqual([])
  })

  test('an authorization and a declined one are facts, with the same ids however often they are asked for', async (context) => {
    const actor = start()
    const { payments, events, told, paid } = observing(context, actor)
    const { charge, credential } = await paid()
    expect(await payments.authorize(credential, { minor: 4_000n, url: URL_OF_SHOP })).toBe(null)
    expect((await told(charge)).toSorted()).toEqual(['authorized 4000', 'declined 4000'])
    const answers = await Promise.all(many(8, () => events.observed(charge)))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    const ids = okValue(await events.observed(charge)).facts.map(({ factId }) => factId)
    expect(new Set(ids).size).toBe(2)
    await expectLeft(actor, charge, 6_000n)
  })

  test('captured whole: it counts as it did', async (context) => {
    const actor = start()
    const { payments, told, paid } = observing(context, actor)
    const { charge, authorizationId } = await paid()
    await payments.settle(authorizationId, { kind: 'captured', minor: null })
    expect((await told(charge)).toSorted()).toEqual(['authorized 4000', 'captured 4000'])
    await expectLeft(actor, charge, 6_000n)
  })

  test('captured in part: the rest is told as given up, and is back', async (context) => {
    const actor = start()
    const { payments, told, paid } = observing(context, actor)
    const { charge, authorizationId } = await paid()
    await payments.settle(authorizationId, { kind: 'captured', minor: 1_000n, isPartial: true })
    expect((await told(charge)).toSorted()).toEqual(['authorized 4000', 'captured 1000'])
    await payments.settle(authorizationId, { kind: 'captured', minor: 500n })
    expect((await told(charge)).toSorted()).toEqual([
      'authorized 4000',
      'captured 1000',
      'captured 500',
      'reversed 2500',
    ])
    await expectLeft(actor, charge, 8_500n)
  })

  test.for(['reversed', 'expired'] as const)(
    '%s: all of it is back, and the card was not used',
    async (kind, context) => {
      const actor = start()
      const { payments, told, paid } = observing(context, actor)
      const { charge, authorizationId } = await paid()
      await payments.settle(authorizationId, { kind, minor: null })
      expect((await told(charge)).toSorted()).toEqual(['authorized 4000', `${kind} 4000`])
      expect(await actor.network.release(charge)).toEqual({ outcome: 'ok', value: { state: 'released' } })
      await expectLeft(actor, charge, 10_000n)
    },
  )
}

export function describeStrangeCaptures(start: Start): void {
  test('captured above the authorization, and after its expiry: it counts whole', async (context) => {
    const actor = start()
    const { payments, told, paid } = observing(context, actor)
    const above = await paid()
    await payments.settle(above.authorizationId, { kind: 'captured', minor: 4_700n })
    expect((await told(above.charge)).toSorted()).toEqual(['authorized 4000', 'captured 4700'])
    await expectLeft(actor, above.charge, 5_300n)
    const late = await paid()
    await payments.settle(late.authorizationId, { kind: 'expired', minor: null })
    await told(late.charge)
    await payments.settle(late.authorizationId, { kind: 'captured', minor: 4_000n })
    expect(await told(late.charge)).toContain('captured 4000')
    expect(await actor.network.release(late.charge)).toEqual({ outcome: 'ok', value: { state: 'used' } })
    await expectLeft(actor, late.charge, 6_000n)
  })

  test('a refund and a dispute are told, and give nothing back', async (context) => {
    const actor = start()
    const { payments, told, paid } = observing(context, actor)
    const { charge, authorizationId } = await paid()
    await payments.settle(authorizationId, { kind: 'captured', minor: null })
    await payments.settle(authorizationId, { kind: 'refunded', minor: 1_500n })
    await payments.settle(authorizationId, { kind: 'disputed', minor: 4_000n })
    expect((await told(charge)).toSorted()).toEqual([
      'authorized 4000',
      'captured 4000',
      'disputed 4000',
      'refunded 1500',
    ])
    await expectLeft(actor, charge, 6_000n)
  })
}

export function describeNews(start: Start): void {
  const newsOf = ({ chargeId, mandateId }: MintRequest) => ({ chargeId, mandateId })
  const receive = async (events: NetworkEvents, message: NetworkMessage) => events.receive(message)

  test('a message says which charge there is something new about', async (context) => {
    const actor = start()
    const { payments, events, paid } = observing(context, actor)
    const { charge } = await paid()
    const message = await payments.message(newsOf(charge))
    for (const _ of ['once', 'again']) {
      expect(await receive(events, message)).toEqual({ outcome: 'ok', value: { news: [newsOf(charge)] } })
    }
  })

  test('one that was changed by a byte, or that is not signed, is refused', async (context) => {
    const actor = start()
    const { payments, events, paid } = observing(context, actor)
    const message = await payments.message(newsOf((await paid()).charge))
    const changes = Array.from(message.body, (byte, place) => {
      const body = Buffer.from(message.body)
      body[place] = byte ^ 1
      return { ...message, body }
    })
    const answers = await Promise.all([...changes, { ...message, headers: {} }].map((one) => receive(events, one)))
    expect(answers.filter(({ outcome }) => outcome !== 'refused')).toEqual([])
  })

  test('the list has what there is something new about since a time, and nothing else', async (context) => {
    const actor = start()
    const { events, paid } = observing(context, actor)
    const { charge } = await paid()
    const other = await actor.charge()
    await actor.network.mint(other)
    const since = addSeconds(actor.subject.clock.now(), -60)
    const { news } = okValue(await events.listNews({ since }))
    expect(news).toContainEqual(newsOf(charge))
    expect(news).not.toContainEqual(newsOf(other))
  })
}
