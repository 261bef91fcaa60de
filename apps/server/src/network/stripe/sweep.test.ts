// Guarantee: wherever a call to Stripe is lost, before it was done or after it, and the process with it, a charge has
// at most one card; another node finishes what was begun, and a release leaves no card that could be paid with (faults
// A1, A2, C1).
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addSeconds } from '../../platform/clock.ts'
import { newId, newOrderedId } from '../../platform/ids.ts'
import type { CapableNetwork } from '../capabilities.ts'
import type { MintRequest, NetworkAnswer } from '../port.ts'
import { okValue } from '../testing/conformance-actor.ts'
import type { Fault } from './testing/stand-in.ts'
import { startSubject, subjectOn } from './testing/subject.ts'

let subject: Awaited<ReturnType<typeof startSubject>>
beforeAll(async () => {
  subject = await startSubject()
})
afterAll(() => subject?.close())

const WHOLE = { minor: 10_000n, currency: 'USD' } as const
/** The adapter keeps nothing in memory: a new one on the same rows is a process that was started again. */
const newNode = () => subjectOn(subject.database, subject.clock, subject.standIn).network

/** Asked until the answer is known, each time by another node; a lost call is never an answer. */
async function settled<T>(ask: (network: CapableNetwork) => Promise<NetworkAnswer<T>>): Promise<T> {
  for (let tries = 0; tries < 4; tries += 1) {
    const answer = await ask(newNode())
    if (answer.outcome !== 'unknown') return okValue(answer)
  }
  throw new Error('It stays unknown.')
}

async function enrolled(): Promise<Omit<MintRequest, 'chargeId'>> {
  const asked = { cardId: newId('card'), entryId: 'entry', stepUp: 'never', account: true } as const
  const token = await settled(async (network) => network.provisionAccount?.(asked) ?? missing())
  if (token.state !== 'provisioned') throw new Error('An account asks for no code.')
  const terms = {
    ...{ mandateId: newOrderedId('mandate', new Date()), tokenRef: token.tokenRef, cap: WHOLE, maxCharges: null },
    ...({ frequency: 'monthly', merchant: { name: 'Shop', url: 'https://shop.example', country: 'US' } } as const),
    ...{ validUntil: addSeconds(subject.clock.now(), 86_400), approvalHash: 'a'.repeat(64) },
  }
  const { instructionRef } = await settled((network) => network.registerInstruction(terms))
  const { mandateId } = terms
  return { mandateId, instructionRef, amount: WHOLE, merchantUrl: 'https://shop.example', lifeMinutes: null }
}

function missing(): never {
  throw new Error('The network has no accounts.')
}

const cardsOf = (chargeId: string) =>
  subject.standIn.books.cards().filter(({ metadata }) => metadata.charge_id === chargeId)
const holdersOf = () => subject.standIn.books.holders().length

/** How many calls a piece of work makes when none is lost. */
async function callsOf(work: () => Promise<unknown>): Promise<number> {
  subject.standIn.failCall(null)
  await work()
  return subject.standIn.calls()
}

/** The work once for each of its calls, which is lost in both ways. */
async function sweep(calls: number, work: () => Promise<void>): Promise<void> {
  expect(calls).toBeGreaterThan(0)
  for (let call = 1; call <= calls; call += 1) {
    for (const fault of ['request', 'answer'] satisfies Fault[]) {
      subject.standIn.failCall(call, fault)
      await work()
    }
  }
  subject.standIn.failCall(null)
}

describe('a call that is lost', () => {
  test('of an enrollment: there is one cardholder', async () => {
    const calls = await callsOf(enrolled)
    await sweep(calls, async () => {
      const before = holdersOf()
      await enrolled()
      expect(holdersOf()).toBe(before + 1)
    })
  })

  test('of a mint: there is one card, and it is the one that every later question shows', async () => {
    const minting = async () => {
      const charge = { ...(await enrolled()), chargeId: newId('charge') }
      const { token } = await settled((network) => network.mint(charge))
      const known = await settled((network) => network.inquire(charge))
      expect(known.state === 'minted' && known.credential.token.reveal()).toBe(token.reveal())
      expect(cardsOf(charge.chargeId)).toMatchObject([{ status: 'active', number: token.reveal() }])
    }
    await sweep(await callsOf(minting), minting)
  })

  test('of a mint, after which the charge is released at once: no card is left, and the amount is back', async () => {
    const releasing = async () => {
      const mandate = await enrolled()
      const charge = { ...mandate, chargeId: newId('charge') }
      await newNode().mint(charge)
      await settled((network) => network.release(charge))
      expect(cardsOf(charge.chargeId).filter(({ status }) => status !== 'canceled')).toEqual([])
      expect(cardsOf(charge.chargeId).length).toBeLessThanOrEqual(1)
      await settled((network) => network.mint({ ...mandate, chargeId: `${charge.chargeId}_next` }))
    }
    await sweep(await callsOf(releasing), releasing)
  })

  test('of a report as declined, or of a cancellation: the card is dead', async () => {
    const ending = async () => {
      const mandate = { ...(await enrolled()), amount: { minor: 1n, currency: 'USD' as const } }
      const [declined, cancelled] = [newId('charge'), newId('charge')]
      for (const chargeId of [declined, cancelled]) await settled((network) => network.mint({ ...mandate, chargeId }))
      const report = { chargeId: declined, outcome: 'DECLINED', currency: 'USD' } as const
      const rest = { amountPaid: null, authorizationCode: null, responseCode: null }
      await settled((network) => network.confirm({ ...report, ...rest }))
      await settled((network) => network.cancelInstruction(mandate))
      for (const chargeId of [declined, cancelled]) expect(cardsOf(chargeId)).toMatchObject([{ status: 'canceled' }])
    }
    await sweep(await callsOf(ending), ending)
  })
})
