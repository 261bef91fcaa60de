/** A DEVELOPMENT TOOL: what the sessions of the scenes are about. */
import type {
  EnrollmentView,
  MandateSetupView,
  PaymentView,
  SurfaceCard,
  SurfaceEnrollment,
  SurfaceMandate,
  SurfacePayment,
  SurfaceView,
} from '@mintmark/contract/wire/surface'
import { ENDED } from '../src/flows/testing/ended-view.ts'

/** What a scene says of its session; the rest is filled in. */
export type ViewFields = Partial<PaymentView> | Partial<MandateSetupView> | Partial<EnrollmentView>

export const VISA: SurfaceCard = {
  card_id: 'card_visa',
  card_last4: '4242',
  card_brand: 'visa',
  card_exp_month: 9,
  card_exp_year: 2031,
}
export const AMEX: SurfaceCard = { ...VISA, card_id: 'card_amex', card_last4: '0005', card_brand: 'amex' }
export const DINERS: SurfaceCard = { ...VISA, card_id: 'card_diners', card_last4: '0004', card_brand: 'diners' }
export const OLD: SurfaceCard = {
  ...VISA,
  card_id: 'card_old',
  card_last4: '4444',
  card_brand: 'mastercard',
  card_exp_year: 2024,
}

const MUGS: SurfacePayment = {
  merchant_name: 'Northwind Coffee',
  merchant_url: 'https://shop.northwind.example',
  amount: '40.00',
  currency: 'USD',
  description: null,
  summary: null,
  bought_here: false,
  products: [
    { name: 'Stoneware mug, speckled', unit_price: '14.00', quantity: 2 },
    { name: 'Linen tea towel', unit_price: '12.00', quantity: 1 },
  ],
}
const samples = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `Tea sample ${index + 1}`, unit_price: '0.00', quantity: 1 }))
export const MANY: SurfacePayment = {
  ...MUGS,
  amount: '1232.00',
  description: 'Order 10042',
  products: [
    ...MUGS.products,
    { name: 'Filter papers, 100 pieces', unit_price: '4.50', quantity: 2 },
    { name: 'House blend, whole beans, 1 kg', unit_price: '1180.00', quantity: 1 },
    { name: 'Gift wrapping', unit_price: '3.00', quantity: 1 },
  ],
}
export const ONE: SurfacePayment = { ...MUGS, amount: '28.00', products: MUGS.products.slice(0, 1) }
export const THREE: SurfacePayment = { ...MUGS, amount: '49.00', products: MANY.products.slice(0, 3) }
export const THIRTY: SurfacePayment = { ...MANY, products: [...MANY.products, ...samples(26)] }
/** Names in four scripts, one of them from right to left, in both places where they are shown. */
export const FOREIGN: SurfacePayment = {
  ...MANY,
  merchant_name: 'Café Müller · بيت الشاي',
  description: 'طلب رقم 10042 (Москва Tea)',
  products: [
    { name: 'شاي أخضر 100g', unit_price: '14.00', quantity: 2 },
    { name: 'ACME® Tea™, 100g × 2', unit_price: '12.00', quantity: 1 },
    { name: 'ブレンド珈琲豆', unit_price: '1192.00', quantity: 1 },
  ],
}
export const UNTOLD: SurfacePayment = { ...MANY, amount: '1261.80' }
export const TOLD: SurfacePayment = {
  ...UNTOLD,
  summary: { subtotal: '1232.00', shipping: '9.90', tax: '24.90', discount: '5.00' },
}
/** What the service itself buys. */
export const QUOTED: SurfacePayment = {
  merchant_name: 'Sandbox Shop',
  merchant_url: 'https://sandbox-shop.example',
  amount: '182.05',
  currency: 'USD',
  description: null,
  products: [
    { name: 'Stoneware mug (Slate)', unit_price: '18.00', quantity: 4 },
    { name: "Chef's knife (21 cm)", unit_price: '89.00', quantity: 1 },
  ],
  summary: { subtotal: '161.00', shipping: '12.40', tax: '24.75', discount: '16.10' },
  bought_here: true,
}

export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const MONTHLY: SurfaceMandate = {
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
const logoOf = (colour: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 42 42"><rect width="42" height="42" rx="12" fill="${colour}"/><path d="M12 30V12l9 11 9-11v18" fill="none" stroke="#fff" stroke-width="4"/></svg>`)}`
export const OPERATOR: SurfaceView['operator'] = {
  name: 'Pay Vault by Example Bank',
  logo_url: logoOf('#1d3557'),
  privacy_url: 'https://vault.example/privacy',
  terms_url: 'https://vault.example/terms',
  support_url: 'https://vault.example/help',
}
export const BRAND: SurfaceView['merchant']['brand'] = {
  logo_url: logoOf('#4b2a86'),
  accent: '#4b2a86',
  accent_dark: '#bb9cf2',
  radius: 14,
}
const LONG =
  'The Northwind & Southgate International Coffee Roasting and Fine Tea Trading Donaudampfschifffahrtsgesellschaft'

export const ARABIC_MANDATE: Partial<SurfaceMandate> = {
  merchant_name: 'بيت الشاي 24',
  merchant_url: 'https://xn--mgbh0fb.example',
  description: 'شاي أخضر 100g كل شهر (Москва Tea)',
  max_charges: 12,
  most_total: '480.00',
}
export const ATLAS = { agent: { name: 'Atlas', owner_url: 'https://agents.vault.example' } }
export const LONG_AGENT = {
  agent: {
    name: 'أطلس · The Southgate Trading Company’s Procurement Agent',
    owner_url: 'https://agents.the-northwind-and-southgate-trading-company.example',
  },
}
export const LONG_MANDATE: Partial<SurfaceMandate> = {
  merchant_name: LONG,
  merchant_url: 'https://subscriptions.the-northwind-and-southgate-trading-company.example',
  amount: '999999999.99',
  most_total: '23999999999.76',
  description: 'A tasting box of three teas every month, chosen for you by our own tea masters and sent to your door',
  adjustable: true,
}
export const mandate = (changes: Partial<SurfaceMandate>) => ({ mandate: { ...MONTHLY, ...changes } })

export const ARABIC_NAME = { merchant_name: 'بيت الشاي 24' }
export const LONG_NAME = { merchant_name: LONG }
export const enrollment = (changes: Partial<SurfaceEnrollment>) => ({
  enrollment: { merchant_name: 'Tea House', card_fixed: false, passkey: null, ...changes },
})

/** The whole view of a session that was launched just now. */
export function viewOf(fields: ViewFields, seconds: number): SurfaceView {
  const end = Date.now() + seconds * 1_000
  const view = {
    ...ENDED,
    operator: { name: 'Northpay' },
    step: 'card',
    outcome: null,
    allowed_origins: ['http://localhost:*'],
    has_passkey: false,
    ...{ payment: { payment: MUGS }, mandate_setup: mandate({}), enrollment: enrollment({}) }[fields.kind ?? 'payment'],
    ...fields,
    expires_at: new Date(end).toISOString(),
    more_time_from: new Date(end - 120_000).toISOString(),
  }
  return view as SurfaceView
}
