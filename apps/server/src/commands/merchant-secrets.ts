import type { MerchantSecrets } from '../merchants/service.ts'

/** New secrets under their wire names, once: they are stored as hashes or sealed, and cannot be shown again. */
export function toWireSecrets(secrets: MerchantSecrets) {
  return {
    merchant_id: secrets.merchantId,
    secret_key: secrets.secretKey.reveal(),
    publishable_key: secrets.publishableKey.reveal(),
    wallet_api_key: secrets.walletApiKey.reveal(),
    webhook_secret: secrets.webhookSecret.reveal(),
  }
}
