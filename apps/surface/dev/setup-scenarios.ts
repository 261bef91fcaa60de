import type { MandateSetupView, SurfaceCard, SurfaceMandate } from '@mintmark/contract/wire/surface'

/** Development only: the sessions of the mock backend that set up a standing permission. */

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

export const DEFAULT_MANDATE: SurfaceMandate = {
  merchant_name: 'Tea House',
  merchant_url: 'https://tea.example',
  amount: '40.00',
  currency: 'USD',
  recurring_frequency: 'monthly',
  merchant_scope: 'listed',
  max_charges: null,
  valid_until: inDays(730),
  most_total: '960.00',
  adjustable: false,
  description: null,
}

const asked = (mandate: Partial<SurfaceMandate>) => ({ mandate: { ...DEFAULT_MANDATE, ...mandate } })

const ARABIC: Partial<SurfaceMandate> = {
  merchant_name: 'بيت الشاي 24',
  merchant_url: 'https://xn--mgbh0fb.example',
  description: 'شاي أخضر 100g كل شهر (Москва Tea)',
  max_charges: 12,
  most_total: '480.00',
}
const LONG: Partial<SurfaceMandate> = {
  merchant_name:
    'The Northwind & Southgate International Coffee Roasting and Fine Tea Trading Donaudampfschifffahrtsgesellschaft',
  merchant_url: 'https://subscriptions.the-northwind-and-southgate-trading-company.example',
  amount: '999999999.99',
  most_total: '23999999999.76',
  description: 'A tasting box of three teas every month, chosen for you by our own tea masters and sent to your door',
}

/** The fields of their views, by name. */
export function setupScenarios(
  card: SurfaceCard,
  receipt: MandateSetupView['receipt'],
): Record<string, Partial<MandateSetupView>> {
  const setup = (fields: Partial<MandateSetupView>) => ({ kind: 'mandate_setup' as const, ...fields })
  const toAllow = (mandate: Partial<SurfaceMandate>) =>
    setup({ step: 'approval', card, has_passkey: true, ...asked(mandate) })
  const ended = (fields: Partial<MandateSetupView>) => setup({ step: 'done', ...fields })
  return {
    'setup-card': setup({ step: 'card', ...asked({ description: 'Monthly tea box' }) }),
    'setup-saved': setup({ step: 'card', cards: [card] }),
    'setup-registration': setup({ step: 'passkey_registration', card, ...asked({ adjustable: true }) }),
    'setup-approval': toAllow({}),
    'setup-limits': toAllow({ adjustable: true }),
    'setup-any': toAllow({
      merchant_scope: 'any',
      recurring_frequency: 'weekly',
      valid_until: inDays(365),
      most_total: '2120.00',
    }),
    'setup-times': toAllow({
      recurring_frequency: 'yearly',
      max_charges: 3,
      most_total: '120.00',
      valid_until: inDays(1825),
    }),
    'setup-once': toAllow({
      recurring_frequency: 'one_time',
      valid_until: null,
      most_total: '40.00',
      adjustable: true,
    }),
    'setup-yen': toAllow({ currency: 'JPY', amount: '4000.00', most_total: '96000.00', adjustable: true }),
    'setup-arabic': toAllow(ARABIC),
    'setup-long': toAllow({ ...LONG, adjustable: true }),
    'setup-retry': setup({ step: 'card', failure: { code: 'PAYMENT_FAILED' } }),
    'setup-processing': setup({ step: 'processing', card }),
    'setup-allowed': ended({ outcome: 'approved', card, ...(receipt && { receipt }) }),
    'setup-arabic-allowed': ended({ outcome: 'approved', card, ...(receipt && { receipt }), ...asked(ARABIC) }),
    'setup-hosted': ended({
      outcome: 'approved',
      card,
      ...(receipt && { receipt }),
      integration_type: 'full_checkout',
      return_url: 'https://shop.test/thanks?session_id=x',
    }),
    'setup-failed': ended({ outcome: 'failed', failure: { code: 'CARD_DECLINED' } }),
    'setup-cancelled': ended({ outcome: 'cancelled' }),
    'setup-over': ended({ outcome: 'expired' }),
    'setup-withdrawn': ended({ outcome: 'revoked' }),
  }
}
