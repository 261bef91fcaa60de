import type { Problem, Read } from '../../ledger/service.ts'
import * as store from './verify-store.ts'

const PAGE = 1_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * What orders know of the books of a merchant: an order has one transfer, which took what its cart costs from its
 * wallet; a transfer for an order has that order; a cart that was ordered has one, too. Part of `mintmark ledger
 * verify`.
 */
export async function* verifyOrders(read: Read, merchantId: string): AsyncGenerator<Problem> {
  const pages = (list: typeof store.listOrderedCarts) =>
    wrongRows((after) => read((on) => list(on, { merchantId, after, limit: PAGE })))
  const payments = wrongRows((after) => read((on) => store.listOrderPayments(on, { merchantId, after, limit: PAGE })))
  for await (const { id, amountMinor, paidMinor, linesMinor } of payments) {
    const what = `is of ${amountMinor}, was paid with ${paidMinor ?? 'nothing'}, and its cart costs ${linesMinor ?? 'nothing'}`
    yield { merchantId, where: `order ${id}`, what }
  }
  for await (const { id } of pages(store.listOrderTransfers)) {
    yield { merchantId, where: `transfer ${id}`, what: 'pays an order that is not there' }
  }
  for await (const { id } of pages(store.listOrderedCarts)) {
    yield { merchantId, where: `cart ${id}`, what: 'is ordered, and has no order' }
  }
}

interface Row {
  id: string
  place: number
  agrees: boolean
}

async function* wrongRows<R extends Row>(list: (after: string) => Promise<R[]>): AsyncGenerator<R> {
  for (let after = FIRST, isLast = false; !isLast; ) {
    const page = await list(after)
    yield* page.filter(({ agrees }) => !agrees)
    const last = page.at(-1)
    after = last?.id ?? after
    isLast = (last?.place ?? 0) < PAGE
  }
}
