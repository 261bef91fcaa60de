import type { EnrollmentView, SurfaceCard, SurfaceEnrollment } from '@mintmark/contract/wire/surface'

/** Development only: the sessions of the mock backend that save a card without a payment. */

export const DEFAULT_ENROLLMENT: SurfaceEnrollment = { merchant_name: 'Tea House', card_fixed: false, passkey: null }

const asked = (enrollment: Partial<SurfaceEnrollment>) => ({ enrollment: { ...DEFAULT_ENROLLMENT, ...enrollment } })

const ARABIC = 'بيت الشاي 24'
const LONG =
  'The Northwind & Southgate International Coffee Roasting and Fine Tea Trading Donaudampfschifffahrtsgesellschaft'

/** The fields of their views, by name. */
export function enrollmentScenarios(card: SurfaceCard): Record<string, Partial<EnrollmentView>> {
  const enrolling = (fields: Partial<EnrollmentView>) => ({ kind: 'enrollment' as const, ...fields })
  const toConfirm = (enrollment: Partial<SurfaceEnrollment>) =>
    enrolling({ step: 'approval', card, has_passkey: true, ...asked(enrollment) })
  const ended = (fields: Partial<EnrollmentView>) => enrolling({ step: 'done', ...fields })
  const { card_id: _, ...onFile } = card
  return {
    'enroll-card': enrolling({ step: 'card' }),
    'enroll-on-file': enrolling({ step: 'card_cvv', card_on_file: onFile, ...asked({ card_fixed: true }) }),
    'enroll-verification': enrolling({ step: 'card_verification', card }),
    'enroll-registration': enrolling({ step: 'passkey_registration', card }),
    'enroll-confirm': toConfirm({}),
    'enroll-arabic': toConfirm({ merchant_name: ARABIC }),
    'enroll-long': toConfirm({ merchant_name: LONG }),
    'enroll-processing': enrolling({ step: 'processing', card }),
    'enroll-saved': ended({ outcome: 'approved', card, ...asked({ passkey: 'registered' }) }),
    'enroll-saved-existing': ended({
      outcome: 'approved',
      card,
      ...asked({ merchant_name: LONG, passkey: 'existing' }),
    }),
    'enroll-hosted': ended({
      ...{ outcome: 'approved', card, integration_type: 'full_checkout' },
      return_url: 'https://shop.test/cards?session_id=x',
      ...asked({ passkey: 'registered' }),
    }),
    'enroll-failed': ended({ outcome: 'failed', failure: { code: 'CARD_DECLINED' } }),
    'enroll-blocked': ended({ outcome: 'failed', failure: { code: 'PASSKEY_BLOCKED' } }),
    'enroll-cancelled': ended({ outcome: 'cancelled' }),
    'enroll-over': ended({ outcome: 'expired' }),
    'enroll-withdrawn': ended({ outcome: 'revoked' }),
  }
}
