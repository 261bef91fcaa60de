import { expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import type { ConfirmRequest, MintRequest } from '../port.ts'
import { advance, many, needs, okValue, reasonIs, required, URL_OF_SHOP, WEEK_SECONDS } from './conformance-actor.ts'
import type { Start } from './conformance-cards.ts'

const RELEASED = { outcome: 'ok', value: { state: 'released' } }
const USED = { outcome: 'ok', value: { state: 'used' } }
const NOT_MINTED = { outcome: 'ok', value: { state: 'not_minted' } }
const WHOLE = { minor: 10_000n, currency: 'USD' } as const

const report = ({ chargeId }: MintRequest, outcome: ConfirmRequest['outcome']): ConfirmRequest => ({
  ...{ chargeId, outcome, currency: 'USD', amountPaid: null, authorizationCode: null, responseCode: null },
})
const next = (charge: MintRequest) => ({ ...charge, chargeId: newId('charge') })

export function describeLife(start: Start): void {
  test('a credential lives as long as its charge asks for, and no longer than its instruction', async (context) => {
    const actor = start()
    const charge = await actor.charge()
    const now = actor.subject.clock.now().getTime()
    const live = async (lifeMinutes: number) =>
      okValue(
        await actor.network.mint({
          ...charge,
          chargeId: newId('charge'),
          lifeMinutes,
          amount: { minor: 1n, currency: 'USD' },
        }),
      )
    const [short, long] = [await live(10), await live(43_200)]
    expect(Math.round((short.validUntil.getTime() - now) / 60_000)).toBe(10)
    expect(Math.round((long.validUntil.getTime() - now) / 60_000)).toBe(WEEK_SECONDS / 60)
    for (const { expiryMonth, expiryYear, validUntil } of [short, long]) {
      expect(Date.UTC(Number(expiryYear), Number(expiryMonth), 1)).toBeGreaterThan(validUntil.getTime())
    }
    needs(context, actor, 'endsCredentials', true)
    advance(context, actor, 601)
    const acquirer = required(context, actor.subject.acquirer)
    expect(await acquirer(short, { minor: 1n, url: URL_OF_SHOP })).toBe(false)
    expect(await acquirer(long, { minor: 1n, url: URL_OF_SHOP })).toBe(true)
  })
}

export function describeRelease(start: Start): void {
  test('ends the credential, and gives amount and count back once, however often it is asked for', async () => {
    const actor = start()
    const charge = { ...(await actor.charge({ maxCharges: 1 })), amount: WHOLE }
    const credential = okValue(await actor.network.mint(charge))
    const answers = await Promise.all(many(16, () => actor.network.release(charge)))
    expect(answers).toEqual(many(16, () => RELEASED))
    expect(await actor.subject.acquirer?.(credential, { minor: 1n, url: URL_OF_SHOP })).not.toBe(true)
    expect((await actor.network.mint(next(charge))).outcome).toBe('ok')
    expect(await actor.network.release(charge)).toEqual(RELEASED)
    expect((await actor.network.mint(next(charge))).outcome).toBe('declined')
  })

  test('what was released is not minted again, is known as returned, and was not paid', async () => {
    const actor = start()
    const charge = await actor.charge()
    await actor.network.mint(charge)
    await actor.network.release(charge)
    expect(okValue(await actor.network.inquire(charge))).toEqual({ state: 'returned' })
    expect((await actor.network.mint(charge)).outcome).toBe('declined')
    expect((await actor.network.confirm(report(charge, 'APPROVED'))).outcome).toBe('declined')
    expect((await actor.network.confirm(report(charge, 'DECLINED'))).outcome).toBe('ok')
    const dear = { ...next(charge), amount: WHOLE }
    expect((await actor.network.mint(dear)).outcome).toBe('ok')
    expect(await actor.network.mint(next(charge))).toEqual(reasonIs('THRESHOLD_EXCEEDED'))
  })

  test('a charge that was never minted is refused from then on', async () => {
    const actor = start()
    const charge = await actor.charge()
    expect(await actor.network.release(charge)).toEqual(NOT_MINTED)
    expect(await actor.network.release(charge)).toEqual(NOT_MINTED)
    expect(okValue(await actor.network.inquire(charge))).toEqual({ state: 'returned' })
    expect(await actor.network.mint(charge)).toEqual(reasonIs('NOT_FOUND'))
    expect((await actor.network.mint(next(charge))).outcome).toBe('ok')
  })

  test('of one that was refused there is nothing to end', async () => {
    const actor = start()
    const dear = { ...(await actor.charge()), amount: { minor: 10_001n, currency: 'USD' as const } }
    await actor.network.mint(dear)
    expect(await actor.network.release(dear)).toEqual(NOT_MINTED)
    expect(okValue(await actor.network.inquire(dear))).toMatchObject({ state: 'declined' })
  })
}

export function describeSpentRelease(start: Start): void {
  test('one that was spent is used, and stays counted; it can be reported', async (context) => {
    const actor = start()
    const acquirer = required(context, actor.subject.acquirer)
    const charge = { ...(await actor.charge()), amount: WHOLE }
    expect(await acquirer(okValue(await actor.network.mint(charge)), { minor: 1n, url: URL_OF_SHOP })).toBe(true)
    for (const _ of ['once', 'again']) expect(await actor.network.release(charge)).toEqual(USED)
    expect(await actor.network.mint(next(charge))).toEqual(reasonIs('THRESHOLD_EXCEEDED'))
    const paid = { ...report(charge, 'APPROVED'), amountPaid: { minor: 1n, currency: 'USD' as const } }
    expect((await actor.network.confirm(paid)).outcome).toBe('ok')
  })

  test('one that was reported stays as it was reported', async () => {
    const actor = start()
    const charge = await actor.charge()
    const other = next(charge)
    await Promise.all([charge, other].map((each) => actor.network.mint(each)))
    await actor.network.confirm(report(charge, 'APPROVED'))
    await actor.network.confirm(report(other, 'DECLINED'))
    expect(await actor.network.release(charge)).toEqual(USED)
    expect(await actor.network.release(other)).toEqual(RELEASED)
    const rest = { ...next(charge), amount: { minor: 6_000n, currency: 'USD' as const } }
    expect((await actor.network.mint(rest)).outcome).toBe('ok')
    expect((await actor.network.mint({ ...next(charge), amount: { minor: 1n, currency: 'USD' } })).outcome).toBe(
      'declined',
    )
  })

  test('of a cancelled instruction it says whether the credential was spent', async (context) => {
    const actor = start()
    const acquirer = required(context, actor.subject.acquirer)
    const charge = await actor.charge()
    const other = next(charge)
    const spent = okValue(await actor.network.mint(charge))
    await actor.network.mint(other)
    expect(await acquirer(spent, { minor: 1n, url: URL_OF_SHOP })).toBe(true)
    await actor.network.cancelInstruction(charge)
    expect(await actor.network.release(charge)).toEqual(USED)
    expect(await actor.network.release(other)).toEqual(RELEASED)
  })

  test('one whose time is over is released', async (context) => {
    const actor = start()
    const charge = await actor.charge()
    await actor.network.mint(charge)
    advance(context, actor, WEEK_SECONDS)
    expect(await actor.network.release(charge)).toEqual(RELEASED)
  })
}

export function describeReleaseFaults(start: Start): void {
  test('of a release and a payment at the same moment one happens', async (context) => {
    const actor = start()
    const acquirer = required(context, actor.subject.acquirer)
    for (let round = 0; round < 12; round += 1) {
      const credential = await actor.charge()
      const minted = okValue(await actor.network.mint(credential))
      const [wasPaid, ...answers] = await Promise.all([
        acquirer(minted, { minor: 1n, url: URL_OF_SHOP }),
        ...many(3, () => actor.network.release(credential)),
      ])
      for (const answer of answers) expect(answer).toEqual(wasPaid ? USED : RELEASED)
    }
  })

  test('of a release and a mint at the same moment no credential is left', async (context) => {
    const actor = start()
    const acquirer = required(context, actor.subject.acquirer)
    for (let round = 0; round < 12; round += 1) {
      const charge = { ...(await actor.charge()), amount: WHOLE }
      const [answer] = await Promise.all([actor.network.mint(charge), actor.network.release(charge)])
      if (answer.outcome === 'ok') expect(await acquirer(answer.value, { minor: 1n, url: URL_OF_SHOP })).toBe(false)
      else expect(answer.outcome).toBe('declined')
      expect((await actor.network.mint(next(charge))).outcome).toBe('ok')
    }
  })

  test('one that fails is unknown and ends nothing; again, it succeeds', async (context) => {
    const actor = start()
    const charge = await actor.charge({ card: required(context, actor.subject.testCards.releaseFailsOnce) })
    await actor.network.mint(charge)
    expect(await actor.network.release(charge)).toMatchObject({ outcome: 'unknown' })
    expect(okValue(await actor.network.inquire(charge))).toMatchObject({ state: 'minted' })
    expect(await actor.network.release(charge)).toEqual(RELEASED)
  })

  test('one whose answer is lost is unknown and has happened; again, it says so', async (context) => {
    const actor = start()
    const charge = await actor.charge({ card: required(context, actor.subject.testCards.releaseAnswerLost) })
    await actor.network.mint(charge)
    expect(await actor.network.release(charge)).toMatchObject({ outcome: 'unknown' })
    expect(okValue(await actor.network.inquire(charge))).toEqual({ state: 'returned' })
    expect(await actor.network.release(charge)).toEqual(RELEASED)
  })
}
