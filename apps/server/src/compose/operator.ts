import type { SurfaceOperator } from '@mintmark/contract/wire/surface'
import type { Ground } from './ground.ts'
import { ownerUrlOf } from './owners.ts'

/** Who keeps the cards, as the cardholder's page says it. */
export function operatorOf({
  operatorName: name,
  operatorPrivacyUrl,
  operatorTermsUrl,
  operatorSupportUrl,
}: Ground['config']): SurfaceOperator {
  return {
    name,
    ...(operatorPrivacyUrl !== null && { privacy_url: operatorPrivacyUrl }),
    ...(operatorTermsUrl !== null && { terms_url: operatorTermsUrl }),
    ...(operatorSupportUrl !== null && { support_url: operatorSupportUrl }),
  }
}

/** Whom the passkeys are made for, by the name that the browser's dialog says. */
export function relyingPartyOf(config: Ground['config']) {
  const { rpId, operatorName: rpName, surfaceUrl: surfaceOrigin } = config
  return { rpId, rpName, surfaceOrigin, ownerOrigin: ownerUrlOf(config) }
}
