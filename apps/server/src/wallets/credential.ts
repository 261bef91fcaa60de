import { UUID_KEY } from '../http/idempotency.ts'
import { perWalletMerchant, walletKey } from '../merchants/credential.ts'

/** Spread into the row of a call of the wallet API that changes nothing. */
export const WALLET_READ = { method: 'GET', auth: [walletKey], limit: perWalletMerchant, status: 200 } as const

/** Spread into the row of one that changes something: once a key. */
export const WALLET_CHANGE = { auth: [walletKey], limit: perWalletMerchant, idempotencyKey: UUID_KEY } as const
