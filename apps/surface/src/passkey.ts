import type { PasskeyFailure } from './screen.ts'

/** A refusal by policy comes within milliseconds; no person can read a dialog and dismiss it this fast. */
const TOO_FAST_MILLIS = 250

/** What a failed ceremony means. `closed`: its dialog is gone, and may come again; `frame`: it may work in a tab of its own. */
export function passkeyFailureOf(
  error: unknown,
  { embedded, elapsedMillis }: { embedded: boolean; elapsedMillis: number },
): PasskeyFailure | 'closed' | 'frame' {
  switch (error instanceof Error ? error.name : '') {
    case 'NotAllowedError':
      return embedded && elapsedMillis < TOO_FAST_MILLIS ? 'frame' : 'closed'
    case 'AbortError':
      return 'closed'
    case 'InvalidStateError':
      return 'exists'
    case 'SecurityError':
      return embedded ? 'frame' : 'unusable'
    default:
      return 'unusable'
  }
}

type PasskeyFeature = 'publickey-credentials-get' | 'publickey-credentials-create'

interface FeaturePolicy {
  allowsFeature(feature: string): boolean
  features(): string[]
}

/** Chromium says what the embedding page allows; elsewhere only the attempt tells. */
export function frameForbids(feature: PasskeyFeature): boolean {
  const policy = policyOf(document)
  if (policy === null || !policy.features().includes(feature)) return false
  return !policy.allowsFeature(feature)
}

function policyOf(page: Document & { permissionsPolicy?: FeaturePolicy; featurePolicy?: FeaturePolicy }) {
  return page.permissionsPolicy ?? page.featurePolicy ?? null
}
