import type { BinService } from '../bins/service.ts'
import type { PurchaseService } from '../checkout/purchases/service.ts'
import type { ShopService } from '../checkout/shops/service.ts'
import type { EventService } from '../events/service.ts'
import type { Job } from '../jobs/loop.ts'
import type { KeyService } from '../keys/service.ts'
import type { LedgerService } from '../ledger/service.ts'
import type { MailService } from '../mail/service.ts'
import type { MerchantService } from '../merchants/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import { type Metrics, NO_METRICS } from '../platform/metrics.ts'
import type { SealedPlace } from '../vault/service.ts'
import type { StoreService } from '../wallets/store/service.ts'
import type { WebhookService } from '../webhooks/service.ts'
import { composeFeatures, type Features } from './features.ts'
import type { Ground } from './ground.ts'
import { composeHosts, type Hosts } from './hosts.ts'
import { countedJobs } from './metrics.ts'

/** The program, built on its ground: what roles and operator verbs use of it. */
export interface App extends Hosts {
  merchants: MerchantService
  bins: BinService
  shops: ShopService
  passkeys: PasskeyService
  events: EventService
  mail: MailService
  /** How mails leave, in words. */
  mailDescription: string
  webhooks: WebhookService
  stores: StoreService
  purchases: PurchaseService
  ledger: LedgerService
  jobs: readonly Job[]
  keys: KeyService
  rewrap: Features['rewrap']
  sealedPlaces: readonly SealedPlace[]
}

/** `metrics`: what is counted, and where; nothing unless somebody reads it. */
export function compose(ground: Ground, metrics: Metrics = NO_METRICS): App {
  const features = composeFeatures(ground, metrics)
  const jobs = countedJobs(metrics, features.jobs)
  const named = { mailDescription: features.mailer.description, keys: features.keyRing, jobs }
  return { ...features, ...named, ...composeHosts(ground, features, metrics) }
}
