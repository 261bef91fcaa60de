import { readFile } from 'node:fs/promises'
import type { SurfaceOperator } from '@mintmark/contract/wire/surface'
import { logoPath } from '../merchants/service.ts'
import type { Ground, OperatorLogo } from './ground.ts'
import { ownerUrlOf } from './owners.ts'

/** Read once, at the start: what is not fit to be shown stops it. */
export async function loadOperatorLogo({ operatorLogo: file }: Ground['config']): Promise<OperatorLogo | undefined> {
  if (file === null) return undefined
  const given = await readFile(file).catch((cause: unknown) => {
    throw new Error(`The file of OPERATOR_LOGO, ${file}, cannot be read.`, { cause })
  })
  const { cleanPng } = await import('../platform/png.ts')
  const cleaned = cleanPng(given)
  if ('problem' in cleaned) throw new Error(`The image of OPERATOR_LOGO, ${file}, ${cleaned.problem}.`)
  return { path: logoPath('operator', cleaned.bytes), image: cleaned.bytes }
}

/** What the cardholder's page says of the operator, who keeps the cards. */
export function operatorOf({ config, operatorLogo }: Pick<Ground, 'config' | 'operatorLogo'>): SurfaceOperator {
  const { operatorName: name, operatorPrivacyUrl, operatorTermsUrl, operatorSupportUrl } = config
  return {
    name,
    ...(operatorLogo !== undefined && { logo_url: operatorLogo.path }),
    ...(operatorPrivacyUrl !== null && { privacy_url: operatorPrivacyUrl }),
    ...(operatorTermsUrl !== null && { terms_url: operatorTermsUrl }),
    ...(operatorSupportUrl !== null && { support_url: operatorSupportUrl }),
  }
}

/** The party that passkeys are made for, by the name that the browser's dialog says. */
export function relyingPartyOf(config: Ground['config']) {
  const { rpId, operatorName: rpName, surfaceUrl: surfaceOrigin } = config
  return { rpId, rpName, surfaceOrigin, ownerOrigin: ownerUrlOf(config) }
}
