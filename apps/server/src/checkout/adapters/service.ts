import type { ShopAdapter } from '@mintmark/contract'
import type { MerchantCheckout } from '../port.ts'
import { createAcpCheckout } from './acp.ts'
import { type ConnectionSettings, connectShop } from './connection.ts'
import { type CheckoutBudgets, guardCheckout } from './guard.ts'
import { createNativeCheckout } from './native.ts'

export interface ShopOptions extends ConnectionSettings {
  /** Default: 10 s, and 30 s for a payment. */
  budgets?: CheckoutBudgets
}

const BUDGETS: CheckoutBudgets = { callMillis: 10_000, payMillis: 30_000 }

/** A shop that is reached there, as the port has it. It holds no connection: it may be made for each use. */
export function createCheckout(adapter: ShopAdapter, { budgets = BUDGETS, ...shop }: ShopOptions): MerchantCheckout {
  return guardCheckout(ADAPTERS[adapter](connectShop(shop)), budgets)
}

const ADAPTERS: Record<ShopAdapter, (shop: ReturnType<typeof connectShop>) => MerchantCheckout> = {
  native: createNativeCheckout,
  acp: createAcpCheckout,
}
