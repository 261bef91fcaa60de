import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addSeconds } from '../../platform/clock.ts'
import { newId } from '../../platform/ids.ts'
import type { ConfirmRequest, MintRequest } from '../port.ts'
import {
  Actor,
  advance,
  many,
  type NetworkUnderTest,
  okValue,
  reasonIs,
  required,
  reveal,
  URL_OF_SHOP,
  WEEK_SECONDS,
} from './conformance-actor.ts'
import { describeEntries, describeProvisioning, describeUnattended, type Start } from './conformance-cards.ts'
import {
  describeDeletion,
  describeMintedBefore,
  describeUnheard,
  describeVerification,
} from './conformance-deletion.ts'
import { describeLife, describeRelease, describeReleaseFaults, describeSpentRelease } from './conformance-release.ts'
import { describeStanding } from './conformance-standing.ts'

/** The contract of the port, as tests. Every adapter's test file calls this once. */
export function describeCardNetwork(name: string, setup: () => Promise<NetworkUnderTest>): void {
  describe(`card network: ${name}`, () => {
    let subject: NetworkUnderTest | undefined
    const actor = () => {
      if (subject === undefined) throw new Error('The network was not set up.')
      return new Actor(subject)
    }
    beforeAll(async () => {
      subject = await setup()
    })
    afterAll(() => subject?.close?.())
    describe('provisioning', () => describeProvisioning(actor))
    describe('entries of a card', () => describeEntries(actor))
    describe('a card that is looked at', () => describeVerification(actor))
    describe('the deletion of a token', () => describeDeletion(actor))
    describe('what was minted before it', () => describeMintedBefore(actor))
    describe('the end of a card that nobody heard of', () => describeUnheard(actor))
    describe('cards whose cardholder is not there', () => describeUnattended(actor))
    describe('instructions', () => describeInstructions(actor))
    describe('minting', () => describeMinting(actor))
    describe('limits', () => describeLimits(actor))
    describe('the life of a credential', () => describeLife(actor))
    describe('confirming', () => describeConfirming(actor))
    describe('how tokens and instructions stand', () => describeStanding(actor))
    describe('the release of a credential', () => describeRelease(actor))
    describe('the release of a credential that was spent or reported', () => describeSpentRelease(actor))
    describe('releases in a race, and lost ones', () => describeReleaseFaults(actor))
  })
}

function describeInstructions(start: Start): void {
  test('the same terms give the same reference, also to 16 calls together', async () => {
    const actor = start()
    const terms = await actor.terms()
    const answers = await Promise.all(many(16, () => actor.network.registerInstruction(terms)))
    const value = { instructionRef: expect.any(String), registeredAt: expect.any(Date) }
    expect(answers[0]).toMatchObject({ outcome: 'ok', value })
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  test('the same mandate id with other terms is refused', async () => {
    const actor = start()
    const terms = await actor.terms()
    await actor.network.registerInstruction(terms)
    const dearer = { ...terms, cap: { minor: 99_999n, currency: 'USD' as const } }
    expect(await actor.network.registerInstruction(dearer)).toMatchObject({ outcome: 'declined' })
  })

  test('one that has already expired is refused', async () => {
    const actor = start()
    const terms = await actor.terms({ validUntil: addSeconds(actor.subject.clock.now(), -1) })
    expect(await actor.network.registerInstruction(terms)).toEqual({
      outcome: 'declined',
      reason: 'INSTRUCTION_EXPIRED',
    })
  })

  // Whether what was minted before dies with it differs from network to network: no service may need either.
  test('a cancelled one mints no more, and what it minted before is ended by its release', async () => {
    const actor = start()
    const charge = await actor.charge()
    const credential = okValue(await actor.network.mint(charge))
    const { mandateId } = charge
    expect(await actor.network.cancelInstruction({ mandateId })).toMatchObject({ outcome: 'ok' })
    expect(await actor.network.cancelInstruction({ mandateId })).toMatchObject({ outcome: 'ok' })
    const next = await actor.network.mint({ ...charge, chargeId: newId('charge') })
    expect(next).toEqual({ outcome: 'declined', reason: 'INSTRUCTION_NOT_ACTIVE' })
    expect(await actor.network.release(charge)).toEqual({ outcome: 'ok', value: { state: 'released' } })
    expect(await actor.subject.acquirer?.(credential, { minor: 1n, url: URL_OF_SHOP })).not.toBe(true)
  })

  test('a cancelled one is not registered again', async () => {
    const actor = start()
    const terms = await actor.terms()
    await actor.network.registerInstruction(terms)
    await actor.network.cancelInstruction(terms)
    expect(await actor.network.registerInstruction(terms)).toEqual(reasonIs('INSTRUCTION_NOT_ACTIVE'))
  })

  test('a cancellation that overtakes the registration stops it', async () => {
    const actor = start()
    const terms = await actor.terms()
    expect(await actor.network.cancelInstruction(terms)).toMatchObject({ outcome: 'ok' })
    const late = await actor.network.registerInstruction(terms)
    expect(late).toEqual({ outcome: 'declined', reason: 'INSTRUCTION_NOT_ACTIVE' })
    const charge = await actor.charge()
    const mint = await actor.network.mint({ ...charge, mandateId: terms.mandateId })
    expect(mint).toEqual({ outcome: 'declined', reason: 'INSTRUCTION_NOT_ACTIVE' })
  })
}

function describeMinting(start: Start): void {
  test('32 mints of one charge id make one credential', async () => {
    const actor = start()
    const charge = await actor.charge()
    const answers = await Promise.all(many(32, () => actor.network.mint(charge)))
    const numbers = new Set(answers.map((answer) => reveal(okValue(answer))))
    expect(numbers.size).toBe(1)
    const rest = await actor.network.mint({
      ...charge,
      chargeId: newId('charge'),
      amount: { minor: 6_000n, currency: 'USD' },
    })
    expect(rest.outcome).toBe('ok')
  })

  test('an inquiry returns the credential, the refusal, or that nothing is known', async () => {
    const actor = start()
    const charge = await actor.charge()
    const dear = { ...charge, chargeId: newId('charge'), amount: { minor: 10_001n, currency: 'USD' as const } }
    const credential = okValue(await actor.network.mint(charge))
    expect(await actor.network.mint(dear)).toEqual({ outcome: 'declined', reason: 'THRESHOLD_EXCEEDED' })
    const minted = okValue(await actor.network.inquire(charge))
    expect(minted.state === 'minted' && reveal(minted.credential)).toBe(reveal(credential))
    const refused = okValue(await actor.network.inquire(dear))
    expect(refused).toEqual({ state: 'declined', reason: 'THRESHOLD_EXCEEDED' })
    expect(okValue(await actor.network.inquire({ chargeId: newId('charge') }))).toEqual({ state: 'not_found' })
  })

  test('a refusal is final for its charge id', async () => {
    const actor = start()
    const dear = { ...(await actor.charge()), amount: { minor: 10_001n, currency: 'USD' as const } }
    await actor.network.mint(dear)
    const cheaper = { ...dear, amount: { minor: 1n, currency: 'USD' as const } }
    expect(await actor.network.mint(cheaper)).toEqual({ outcome: 'declined', reason: 'THRESHOLD_EXCEEDED' })
  })

  test('a lost answer is unknown, never a refusal; the inquiry finds the credential and the retry repeats it', async (context) => {
    const actor = start()
    const charge = await actor.charge({ card: required(context, actor.subject.testCards.mintAnswerLost) })
    expect((await actor.network.mint(charge)).outcome).toBe('unknown')
    const minted = okValue(await actor.network.inquire(charge))
    const retry = okValue(await actor.network.mint(charge))
    expect(minted.state === 'minted' && reveal(minted.credential)).toBe(reveal(retry))
  })

  test('a lost request is unknown; the inquiry knows nothing and the retry mints', async (context) => {
    const actor = start()
    const charge = await actor.charge({ card: required(context, actor.subject.testCards.mintRequestLost) })
    expect((await actor.network.mint(charge)).outcome).toBe('unknown')
    expect(okValue(await actor.network.inquire(charge))).toEqual({ state: 'not_found' })
    expect((await actor.network.mint(charge)).outcome).toBe('ok')
  })

  test('a credential is approved at most once', async (context) => {
    const actor = start()
    const acquirer = required(context, actor.subject.acquirer)
    const credential = okValue(await actor.network.mint(await actor.charge()))
    const tries = await Promise.all(many(8, () => acquirer(credential, { minor: 4_000n, url: URL_OF_SHOP })))
    expect(tries.filter(Boolean)).toHaveLength(1)
  })
}

function describeLimits(start: Start): void {
  test.for([
    ['CURRENCY_MISMATCH', { amount: { minor: 4_000n, currency: 'EUR' } }],
    ['MERCHANT_NOT_ALLOWED', { merchantUrl: 'https://other.example' }],
    ['THRESHOLD_EXCEEDED', { amount: { minor: 10_001n, currency: 'USD' } }],
    ['NOT_FOUND', { mandateId: 'mdt_unknown' }],
  ] as const)('a mint outside its instruction is declined: %s', async ([reason, change]) => {
    const actor = start()
    const charge = { ...(await actor.charge()), ...change }
    expect(await actor.network.mint(charge)).toEqual({ outcome: 'declined', reason })
  })

  test('an instruction for any merchant mints for each', async () => {
    const actor = start()
    const charge = await actor.charge({ merchant: null })
    for (const merchantUrl of ['https://one.example', 'https://two.example']) {
      expect((await actor.network.mint({ ...charge, chargeId: newId('charge'), merchantUrl })).outcome).toBe('ok')
    }
  })

  test('an instruction ends when its time is over', async (context) => {
    const actor = start()
    const charge = await actor.charge()
    advance(context, actor, WEEK_SECONDS)
    expect(await actor.network.mint(charge)).toEqual({ outcome: 'declined', reason: 'INSTRUCTION_EXPIRED' })
  })

  test('16 charges asked together never pass the cap in sum', async () => {
    const actor = start()
    const charge = await actor.charge()
    const answers = await Promise.all(many(16, () => actor.network.mint({ ...charge, chargeId: newId('charge') })))
    expect(answers.filter((answer) => answer.outcome === 'ok')).toHaveLength(2)
    const others = answers.filter((answer) => answer.outcome !== 'ok')
    expect(others).toEqual(many(14, () => reasonIs('THRESHOLD_EXCEEDED')))
  })

  test('16 charges asked together never pass the number of charges in sum', async () => {
    const actor = start()
    const charge = { ...(await actor.charge({ maxCharges: 3 })), amount: { minor: 1n, currency: 'USD' as const } }
    const answers = await Promise.all(many(16, () => actor.network.mint({ ...charge, chargeId: newId('charge') })))
    expect(answers.filter((answer) => answer.outcome === 'ok')).toHaveLength(3)
    const others = answers.filter((answer) => answer.outcome !== 'ok')
    expect(others).toEqual(many(13, () => reasonIs('MAX_CHARGES_EXCEEDED')))
  })

  test('of 16 charges asked together one_time mints one, and another once that one was declined', async () => {
    const actor = start()
    const charge = await actor.charge({ frequency: 'one_time', maxCharges: 5 })
    const together = async () => {
      const charges = many(16, () => ({
        ...charge,
        chargeId: newId('charge'),
        amount: { ...charge.amount, minor: 1n },
      }))
      const answers = await Promise.all(charges.map((each) => actor.network.mint(each)))
      const others = answers.filter((answer) => answer.outcome !== 'ok')
      expect(others).toEqual(many(15, () => reasonIs('MAX_CHARGES_EXCEEDED')))
      return charges.filter((_, index) => answers[index]?.outcome === 'ok')
    }
    for (const { chargeId } of await together()) {
      const declined = { outcome: 'DECLINED', currency: 'USD', amountPaid: null, authorizationCode: null } as const
      await actor.network.confirm({ chargeId, ...declined, responseCode: null })
    }
    expect(await together()).toHaveLength(1)
  })

  test('a new window has the whole cap again', async (context) => {
    const actor = start()
    const validUntil = addSeconds(actor.subject.clock.now(), 4 * WEEK_SECONDS)
    const charge = await actor.charge({ frequency: 'weekly', validUntil })
    const whole = () => ({ ...charge, chargeId: newId('charge'), amount: { minor: 10_000n, currency: 'USD' as const } })
    expect((await actor.network.mint(whole())).outcome).toBe('ok')
    expect(await actor.network.mint(whole())).toEqual(reasonIs('THRESHOLD_EXCEEDED'))
    advance(context, actor, WEEK_SECONDS)
    expect((await actor.network.mint(whole())).outcome).toBe('ok')
  })
}

function describeConfirming(start: Start): void {
  const outcomeOf = (charge: MintRequest, outcome: ConfirmRequest['outcome']): ConfirmRequest => ({
    chargeId: charge.chargeId,
    outcome,
    currency: charge.amount.currency,
    amountPaid: outcome === 'APPROVED' ? charge.amount : null,
    authorizationCode: null,
    responseCode: null,
  })

  test('the first outcome stands: again is fine, the other one is refused', async () => {
    const actor = start()
    const charge = await actor.charge()
    await actor.network.mint(charge)
    expect(await actor.network.confirm(outcomeOf(charge, 'APPROVED'))).toMatchObject({ outcome: 'ok' })
    expect(await actor.network.confirm(outcomeOf(charge, 'APPROVED'))).toMatchObject({ outcome: 'ok' })
    expect(await actor.network.confirm(outcomeOf(charge, 'DECLINED'))).toEqual(reasonIs('CONFIRMATION_REFUSED'))
  })

  test('of both outcomes together one wins', async () => {
    const actor = start()
    const charge = await actor.charge()
    await actor.network.mint(charge)
    const both = (['APPROVED', 'DECLINED'] as const).map((outcome) => actor.network.confirm(outcomeOf(charge, outcome)))
    const outcomes = (await Promise.all(both)).map((answer) => answer.outcome)
    expect(outcomes.toSorted()).toEqual(['declined', 'ok'])
  })

  test('a declined charge gives its amount back, once, and its credential is dead', async () => {
    const actor = start()
    const charge = { ...(await actor.charge()), amount: { minor: 10_000n, currency: 'USD' as const } }
    const credential = okValue(await actor.network.mint(charge))
    await Promise.all(many(8, () => actor.network.confirm(outcomeOf(charge, 'DECLINED'))))
    expect(await actor.subject.acquirer?.(credential, { minor: 1n, url: URL_OF_SHOP })).not.toBe(true)
    expect(okValue(await actor.network.inquire(charge))).toEqual({ state: 'returned' })
    const again = () => ({ ...charge, chargeId: newId('charge') })
    expect((await actor.network.mint(again())).outcome).toBe('ok')
    expect(await actor.network.mint(again())).toEqual(reasonIs('THRESHOLD_EXCEEDED'))
  })

  test('a report that the acquirer contradicts is refused, and takes no other credential of the mandate along', async (context) => {
    const actor = start()
    const acquirer = required(context, actor.subject.acquirer)
    const charge = await actor.charge()
    const other = { ...charge, chargeId: newId('charge') }
    const [spent, open] = [okValue(await actor.network.mint(charge)), okValue(await actor.network.mint(other))]
    expect(await acquirer(spent, { minor: 4_000n, url: URL_OF_SHOP })).toBe(true)
    expect(await actor.network.confirm(outcomeOf(charge, 'DECLINED'))).toEqual(reasonIs('CONFIRMATION_REFUSED'))
    expect(await acquirer(open, { minor: 4_000n, url: URL_OF_SHOP })).toBe(true)
  })

  test('a declined charge does not count among the charges allowed', async () => {
    const actor = start()
    const charge = await actor.charge({ maxCharges: 1 })
    const again = () => ({ ...charge, chargeId: newId('charge') })
    await actor.network.mint(charge)
    expect(await actor.network.mint(again())).toEqual(reasonIs('MAX_CHARGES_EXCEEDED'))
    await actor.network.confirm(outcomeOf(charge, 'DECLINED'))
    expect((await actor.network.mint(again())).outcome).toBe('ok')
  })

  test('a confirmation that got lost is unknown, and works again', async (context) => {
    const actor = start()
    const charge = await actor.charge({ card: required(context, actor.subject.testCards.confirmationFailsOnce) })
    await actor.network.mint(charge)
    expect((await actor.network.confirm(outcomeOf(charge, 'APPROVED'))).outcome).toBe('unknown')
    expect((await actor.network.confirm(outcomeOf(charge, 'APPROVED'))).outcome).toBe('ok')
  })

  test('what was never minted is not found', async () => {
    const actor = start()
    const charge = await actor.charge()
    expect(await actor.network.confirm(outcomeOf(charge, 'APPROVED'))).toEqual(reasonIs('NOT_FOUND'))
  })
}
