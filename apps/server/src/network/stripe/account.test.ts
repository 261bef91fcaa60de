// Guarantee: how the account stands is Stripe's word; what is not answered, or has another shape, is unknown.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceOf, issuesCards } from './shapes.ts'
import { startSubject } from './testing/subject.ts'

let subject: Awaited<ReturnType<typeof startSubject>>
beforeAll(async () => {
  subject = await startSubject()
})
afterAll(() => subject?.close())

test('what is left, and whether cards may be made', async () => {
  const { account } = subject.standIn.payments
  const read = () => subject.network.account?.()
  const standing = (isOpen: boolean, minor: bigint) => ({
    outcome: 'ok',
    value: { isOpen, balance: { minor, currency: 'USD' } },
  })
  expect(await read()).toEqual(standing(true, 500_000n))
  Object.assign(account, { balance: -1_250, isOpen: false })
  expect(await read()).toEqual(standing(false, -1_250n))
  subject.standIn.failCall(1, 'request')
  expect(await read()).toMatchObject({ outcome: 'unknown' })
})

test.each([
  [{ object: 'balance', issuing: { available: [{ amount: 5, currency: 'eur' }] } }, 0n],
  [{ object: 'balance', issuing: { available: [{ amount: 5.5, currency: 'usd' }] } }, undefined],
  [{ object: 'balance', issuing: {} }, undefined],
  [{ object: 'balance' }, undefined],
  [null, undefined],
])('a balance of the shape %j', (body, expected) => expect(balanceOf(body, 'usd')).toBe(expected))

test.each([
  [{ object: 'account', capabilities: { card_issuing: 'pending' } }, false],
  [{ object: 'account', capabilities: {} }, false],
  [{ object: 'account' }, undefined],
  ['active', undefined],
])('an account of the shape %j', (body, expected) => expect(issuesCards(body)).toBe(expected))
