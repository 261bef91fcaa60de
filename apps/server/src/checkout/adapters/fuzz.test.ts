import { anything, assert, asyncProperty, constantFrom, jsonValue, nat, oneof, string } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codePoint } from '../../../test/code-point.ts'
import * as does from '../../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../../test/receivers/receiver.ts'
import { shopPolicy } from '../../platform/egress/policy.ts'
import { isRecord } from '../../platform/json.ts'
import type { MerchantCheckout } from '../port.ts'
import { createCheckout } from './service.ts'
import { ACP } from './testing/acp-answers.ts'
import { VERB_NAMES, VERBS } from './testing/faults.ts'
import { NATIVE } from './testing/native-answers.ts'

// Guarantee: whatever JSON a shop sends, a verb ends with an answer of the port; what is quoted adds up, and nothing is
// paid that the shop does not call paid. Good answers are damaged at one place, at random. FUZZ_RUNS=5000 looks longer.

const RUNS = Number(process.env.FUZZ_RUNS ?? 150)

let shop: Receiver
beforeAll(async () => {
  shop = await startReceiver()
})
afterAll(() => shop.close())

const checkoutOf = (adapter: 'native' | 'acp'): MerchantCheckout => {
  const policy = shopPolicy({ allowLoopback: true })
  return createCheckout(adapter, { baseUrl: `http://localhost:${shop.port}`, key: null, policy })
}

/** Replaces the member that `place` leads to, in a copy. */
function damaged(value: unknown, place: number, by: unknown): unknown {
  const copy = structuredClone(value)
  const places: [Record<string, unknown>, string][] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const name of Object.keys(node)) {
      places.push([node as Record<string, unknown>, name])
      walk((node as Record<string, unknown>)[name])
    }
  }
  walk(copy)
  const [holder, name] = places[place % places.length] ?? []
  if (holder !== undefined && name !== undefined) holder[name] = by
  return copy
}

const GOOD = {
  native: [NATIVE.product, { products: [NATIVE.product] }, NATIVE.quote, NATIVE.prepared, NATIVE.paid, NATIVE.released],
  acp: [ACP.session, ACP.completed, ACP.canceled, ACP.feed, ACP.token],
}
const strange = oneof(
  jsonValue(),
  string({ unit: codePoint, maxLength: 300 }),
  constantFrom<unknown>('-1.00', '1e9', '0', -1, 0.5, 1e21, '__proto__', '../..', 'paid', 'completed', 'xts', null, []),
  anything({ maxDepth: 1, withNullPrototype: true }).map((value) => (isRecord(value) ? value : null)),
)

for (const adapter of ['native', 'acp'] as const) {
  test(`${adapter}: any answer`, async () => {
    const checkout = checkoutOf(adapter)
    await assert(
      asyncProperty(
        constantFrom(...GOOD[adapter]),
        nat(),
        strange,
        constantFrom(200, 201, 404, 409),
        async (...asked) => {
          const [good, place, by, status] = asked
          const text = JSON.stringify(damaged(good, place, by))
          shop.behave(does.answers(status, text))
          for (const verb of VERB_NAMES) {
            const answer = await VERBS[verb](checkout)
            expect(['ok', 'refused', 'unknown']).toContain(answer.outcome)
            if (answer.outcome !== 'ok') continue
            expect(status).toBeLessThan(verb === 'inquire' ? 405 : 300)
            if (isPaid(answer.value)) expect(text).toMatch(/"(?:status|state)":"(?:paid|completed)"/)
            if (verb === 'quote') expect(sumOf(answer.value)).toBe(0n)
          }
        },
      ),
      { numRuns: RUNS },
    )
  })
}

const isPaid = (value: unknown): boolean => isRecord(value) && value.state === 'paid'

function sumOf(value: unknown): bigint {
  const quote = value as Record<'itemsMinor' | 'shippingMinor' | 'taxMinor' | 'discountMinor' | 'totalMinor', bigint>
  return quote.itemsMinor + quote.shippingMinor + quote.taxMinor - quote.discountMinor - quote.totalMinor
}
