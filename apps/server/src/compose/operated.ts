import type { BinService } from '../bins/service.ts'
import type { PurchaseService } from '../checkout/purchases/service.ts'
import type { ShopService } from '../checkout/shops/service.ts'
import type { CustomerService } from '../customers/service.ts'
import type { EventService } from '../events/service.ts'
import type { KeyService } from '../keys/service.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { MailService } from '../mail/service.ts'
import type { MerchantService } from '../merchants/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import { NO_METRICS } from '../platform/metrics.ts'
import type { SealedPlace } from '../vault/service.ts'
import type { WalletCustomerService } from '../wallets/customers/service.ts'
import type { StoreService } from '../wallets/store/service.ts'
import type { WebhookService } from '../webhooks/service.ts'
import { composeFeatures, type Features } from './features.ts'
import type { Ground } from './ground.ts'

/** What operator verbs use of the program. */
export interface Operated {
  merchants: MerchantService
  bins: BinService
  shops: ShopService
  passkeys: PasskeyService
  customers: CustomerService
  walletCustomers: WalletCustomerService
  events: EventService
  mail: MailService
  /** How mails leave, in words. */
  mailDescription: string
  webhooks: WebhookService
  stores: StoreService
  purchases: PurchaseService
  ledger: LedgerService
  keys: KeyService
  rewrap: Features['rewrap']
  sealedPlaces: readonly SealedPlace[]
}

export function operatedOf(features: Features): Operated {
  return { ...features, mailDescription: features.mailer.description, keys: features.keyRing }
}

/** Without hosts: a verb answers nobody, and what serves HTTP takes a verb as long to load as its database to answer. */
export function composeOperated(ground: Ground): Operated {
  return operatedOf(composeFeatures(ground, NO_METRICS))
}
