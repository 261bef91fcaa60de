import type { ChargeService } from '../../charges/service.ts'
import type { CommandDeps } from '../../db/command.ts'
import type { MandateService } from '../../mandates/service.ts'
import type { Log } from '../../platform/log.ts'
import type { RowSeals } from '../../platform/row-seals.ts'
import type { CheckoutAnswer, MerchantCheckout } from '../port.ts'
import type { ShopService } from '../shops/service.ts'

/** A shop that may be bought at. */
export interface ReachedShop {
  /** False: nothing is bought there any more; what was begun is still brought to its end. */
  isActive: boolean
  checkout: MerchantCheckout
  /** Asks once the shop has a place for it; `unknown`, and not asked, where it has none. */
  ask<T>(usualMillis: number, question: () => Promise<CheckoutAnswer<T>>): Promise<CheckoutAnswer<T>>
}

/** What a quote says of where it was made. */
export interface QuotedAt {
  shopId: string
  shopRef: string
}

export interface PurchaseDeps extends CommandDeps {
  charges: Pick<
    ChargeService,
    'mint' | 'confirm' | 'releaseCredential' | 'checkSigned' | 'unsealCredential' | 'voidCharge'
  >
  mandates: Pick<MandateService, 'wakeCancellation' | 'chargeEnded'>
  seals: RowSeals
  log: Log
  /** How long one process holds a purchase before another may take it over. */
  leaseSeconds: number
  /** How long a purchase that needs a person waits for one. */
  humanHours: number
  shops: Pick<ShopService, 'find' | 'checkoutOf' | 'places'>
}

export interface PurchaseRef {
  merchantId: string
  chargeId: string
}
