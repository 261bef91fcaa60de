import type { PasskeyFailure } from './screen.ts'

/** A refusal by policy comes within milliseconds; no person can read a dialog and dismiss it this fast. */
const TOO_FAST_MILLIS = 250

/** What a failed ceremony means. `frame`: it may work in a tab of its own. */
export function passkeyFailureOf(
  error: unknown,
  { embedded, elapsedMillis }: { embedded: boolean; elapsedMillis: number },
): PasskeyFailure | 'frame' {
  switch (error instanceof Error ? error.name : '') {
    case 'NotAllowedError':
      return embedded && elapsedMillis < TOO_FAST_MILLIS ? 'frame' : 'cancelled'
    case 'AbortError':
      return 'cancelled'
    case 'InvalidStateError':
      return 'exists'
    case 'SecurityError':
      return embedded ? 'frame' : 'unusable'
    default:
      return 'unusable'
  }
}

interface FeaturePolicy {
  allowsFeature(feature: string): boolean
  features(): string[]
}

/**
 * Chromium says what the embedding page allows; elsewhere only the attempt tells. A passkey that is there need not be
 * made.
 */
export function frameForbids(hasPasskey: boolean): boolean {
  const policy = policyOf(document)
  return ['get', ...(hasPasskey ? [] : ['create'])].some((use) => {
    const feature = `publickey-credentials-${use}`
    return policy?.features().includes(feature) && !policy.allowsFeature(feature)
  })
}

function policyOf(page: Document & { permissionsPolicy?: FeaturePolicy; featurePolicy?: FeaturePolicy }) {
  return page.permissionsPolicy ?? page.featurePolicy ?? null
}
