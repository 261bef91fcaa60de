// Guarantee: an adapter begins nothing more at the shop for a payment whose caller was told that its outcome is unknown.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import * as does from '../../../test/receivers/behaviours.ts'
import { createCheckout } from './service.ts'
import { ACP } from './testing/acp-answers.ts'
import { PAY, PURCHASE } from './testing/requests.ts'
import { startScriptedAcp } from './testing/scripted-acp.ts'

let world: Awaited<ReturnType<typeof startScriptedAcp>>
beforeAll(async () => {
  world = await startScriptedAcp()
})
afterAll(() => world?.close())
afterEach(() => vi.useRealTimers())

test('a payment is not completed after its time: the caller was told unknown, and may release', async () => {
  world.says()
  // Its time is over when the test says so, and not when a busy machine has stood still for as long.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const isLate = Promise.withResolvers<void>()
  const { checkout, asked } = world
  const hasty = createCheckout('acp', { ...world.address, budgets: { callMillis: 300, payMillis: 300 } })
  world.shop.behave({
    async answer(socket, request) {
      const isToken = request.method !== 'GET'
      if (isToken) await isLate.promise
      const answer = isToken
        ? does.answers(201, JSON.stringify(ACP.token))
        : does.answers(200, JSON.stringify(ACP.session))
      await answer.answer?.(socket, request)
    },
  })
  const paying = hasty.pay(PAY)
  await expect.poll(asked).toEqual(['retrieve', 'delegate_payment'])
  await vi.advanceTimersByTimeAsync(300)
  expect((await paying).outcome).toBe('unknown')
  vi.useRealTimers()
  isLate.resolve()
  // What it asked after the answer that came late would have arrived before this.
  expect((await checkout.inquire(PURCHASE)).outcome).toBe('ok')
  expect(asked()).toEqual(['retrieve', 'delegate_payment', 'retrieve'])
  world.says()
  expect((await checkout.pay(PAY)).outcome).toBe('ok')
})
