import type * as wireOf from '@mintmark/contract/wire/wallet/orders'
import { amountFromMinor, minorFromAmount } from '../../platform/money.ts'
import type { NewOrder, Order } from './service.ts'

type OrderParams = Pick<NewOrder, 'customerId' | 'cartId' | 'walletId'>

export function fromWireOrder(
  merchantId: string,
  params: OrderParams,
  { address, amount }: wireOf.OrderBody,
): NewOrder {
  const amountMinor = amount === undefined ? undefined : minorFromAmount(amount)
  return { merchantId, ...params, addressId: address, amountMinor }
}

export function toWireOrder(order: Order): wireOf.Order {
  const { id, cartId, customerId, walletId, addressId, amountMinor, currency, createdAt } = order
  const at = createdAt.toISOString()
  return {
    ...{ order_id: id, cart_id: cartId, customer_id: customerId, wallet_id: walletId },
    // An order is there from the moment at which it is paid.
    ...{ status: 'completed', amount: amountFromMinor(amountMinor), currency, address_id: addressId },
    ...{ created_at: at, updated_at: at },
  }
}

export function toWireOrders(orders: readonly Order[]): wireOf.OrderList {
  return { count: orders.length, orders: orders.map(toWireOrder) }
}
