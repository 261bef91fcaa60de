import type { Pool } from 'pg'
import type { CardService } from '../cards/service.ts'
import type { ChargeService } from '../charges/service.ts'
import type { EventService } from '../events/service.ts'
import type { MandateService } from '../mandates/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Secret } from '../platform/secret.ts'
import type { Vault } from '../vault/service.ts'
import type { SessionTokens } from './token.ts'

/** What the use cases of a session stand on; built once in `wiring.ts`. */
export interface SessionDeps {
  pool: Pool
  clock: Clock
  environment: 'sandbox' | 'production'
  log: Log
  vault: Pick<Vault, 'openCredential'>
  cards: CardService
  charges: ChargeService
  mandates: MandateService
  passkeys: PasskeyService
  events: EventService
  tokens: SessionTokens
  launchSecretsKey: Secret<Buffer>
  lifetimeSeconds: number
  surfaceUrl: string
}
