import type { Environment } from '@mintmark/contract'
import type { CardService } from '../cards/service.ts'
import type { Merchant, MerchantService } from '../merchants/service.ts'
import type { PasskeyService } from '../passkeys/service.ts'
import type { Clock } from '../platform/clock.ts'
import { sessionTokenInvalid } from '../sessions/errors.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Vault } from '../vault/service.ts'

export interface CardholderDeps {
  clock: Clock
  environment: Environment
  sessions: SessionService
  cards: CardService
  passkeys: PasskeyService
  vault: Pick<Vault, 'findRecord'>
  merchants: MerchantService
}

/** The account behind a session's token. */
export async function merchantOf({ merchants }: CardholderDeps, merchantId: string): Promise<Merchant> {
  const merchant = await merchants.findMerchant(merchantId)
  if (merchant === undefined) throw sessionTokenInvalid()
  return merchant
}
