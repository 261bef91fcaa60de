import type {
  EnrollmentView,
  MandateSetupView,
  PaymentView,
  SurfaceCard,
  SurfaceView,
} from '@mintmark/contract/wire/surface'
import { DEFAULT_ENROLLMENT, enrollmentScenarios } from './enrollment-scenarios.ts'
import { DEFAULT_MANDATE, setupScenarios } from './setup-scenarios.ts'

/** Development only: the sessions of the mock backend, one a screen, opened at `/s/ma_x/{name}#x`. */
export type ViewFields = Partial<PaymentView> | Partial<MandateSetupView> | Partial<EnrollmentView>
export type Scenario =
  | { kind: 'view'; view: ViewFields; expiresInSeconds?: number }
  | { kind: 'refusal'; status: number; code: string; message: string; retryAfterSeconds?: number }
  | { kind: 'silence' }

export const VISA: SurfaceCard = {
  card_id: 'card_visa',
  card_last4: '4242',
  card_brand: 'visa',
  card_exp_month: 9,
  card_exp_year: 2031,
}
export const AMEX: SurfaceCard = { ...VISA, card_id: 'card_amex', card_last4: '0005', card_brand: 'amex' }
const DINERS: SurfaceCard = { ...VISA, card_id: 'card_diners', card_last4: '0004', card_brand: 'diners' }
const OLD: SurfaceCard = {
  ...VISA,
  card_id: 'card_old',
  card_last4: '4444',
  card_brand: 'mastercard',
  card_exp_year: 2024,
}

const MANY_PRODUCTS = [
  { name: 'Stoneware mug, speckled', unit_price: '14.00', quantity: 2 },
  { name: 'Linen tea towel', unit_price: '12.00', quantity: 1 },
  { name: 'Filter papers, 100 pieces', unit_price: '4.50', quantity: 2 },
  { name: 'House blend, whole beans, 1 kg', unit_price: '1180.00', quantity: 1 },
  { name: 'Gift wrapping', unit_price: '3.00', quantity: 1 },
]

const payment = {
  merchant_name: 'Northwind Coffee',
  merchant_url: 'https://shop.northwind.example',
  amount: '1232.00',
  currency: 'USD',
  description: 'Order 10042',
  products: MANY_PRODUCTS,
  summary: null,
  bought_here: false,
}

/** Names in four scripts, one of them from right to left, in both places where they are shown. */
const FOREIGN: PaymentView['payment'] = {
  ...payment,
  merchant_name: 'Café Müller · بيت الشاي',
  description: 'طلب رقم 10042 (Москва Tea)',
  products: [
    { name: 'شاي أخضر 100g', unit_price: '14.00', quantity: 2 },
    { name: 'ACME® Tea™, 100g × 2', unit_price: '12.00', quantity: 1 },
    { name: 'ブレンド珈琲豆', unit_price: '1192.00', quantity: 1 },
  ],
}
const TOLD: PaymentView['payment'] = {
  ...payment,
  amount: '1261.80',
  summary: { subtotal: '1232.00', shipping: '9.90', tax: '24.90', discount: '5.00' },
}
/** What the service itself buys. */
const QUOTED: PaymentView['payment'] = {
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
/** The present, as the time until which a scenario can be approved. */
const RECEIPT = {
  approved_at: new Date().toISOString(),
  order_number: 'order-10042',
  reference: 'ord_7c1b9e2f4a6d8c0b1a2f3e4d5c',
}

const view = (fields: ViewFields, expiresInSeconds?: number): Scenario =>
  expiresInSeconds === undefined ? { kind: 'view', view: fields } : { kind: 'view', view: fields, expiresInSeconds }
const ended = (fields: Partial<PaymentView>): Scenario => view({ step: 'done', ...fields })

export const SCENARIOS: Record<string, Scenario> = {
  loading: { kind: 'silence' },
  card: view({ step: 'card' }),
  many: view({ step: 'card', payment }),
  production: view({ step: 'card', environment: 'production', payment }),
  foreign: view({ step: 'card', payment: FOREIGN }),
  'foreign-approval': view({ step: 'approval', card: VISA, has_passkey: true, payment: FOREIGN }),
  'foreign-approved': ended({ outcome: 'approved', card: VISA, payment: FOREIGN, receipt: RECEIPT }),
  untold: view({ step: 'card', payment: { ...payment, amount: '1261.80' } }),
  told: view({ step: 'card', payment: TOLD }),
  huge: view({ step: 'approval', card: VISA, has_passkey: true, payment: { ...payment, amount: '999999999999.99' } }),
  dinar: view({ step: 'card', payment: { ...payment, currency: 'KWD' } }),
  quoted: view({ step: 'card', payment: QUOTED }),
  'quoted-approval': view({ step: 'approval', card: VISA, has_passkey: true, payment: QUOTED }),
  'quoted-processing': view({ step: 'processing', card: VISA, payment: QUOTED }),
  'quoted-approved': ended({ outcome: 'approved', card: VISA, payment: QUOTED, receipt: RECEIPT }),
  'quoted-failed': ended({ outcome: 'failed', failure: { code: 'CARD_DECLINED' }, payment: QUOTED }),
  'quoted-unavailable': ended({ outcome: 'failed', failure: { code: 'MERCHANT_PREPARE_FAILED' }, payment: QUOTED }),
  'quoted-needs-human': ended({ outcome: 'failed', failure: { code: 'MERCHANT_ACTION_REQUIRED' }, payment: QUOTED }),
  'quoted-expired': ended({ outcome: 'expired', payment: QUOTED }),
  'quoted-revoked': ended({ outcome: 'revoked', payment: QUOTED }),
  saved: view({ step: 'card', cards: [VISA, AMEX, DINERS, OLD] }),
  'saved-expired': view({ step: 'card', cards: [OLD] }),
  cvv: view({ step: 'card_cvv', card: AMEX }),
  'cvv-expired': view({ step: 'card_cvv', card_on_file: OLD }),
  verification: view({
    step: 'card_verification',
    card: VISA,
    code: { number: 0, next_from: new Date().toISOString() },
  }),
  'verification-with-saved': view({
    step: 'card_verification',
    card: { ...VISA, card_id: 'card_new', card_last4: '3220' },
    cards: [OLD, AMEX, DINERS],
  }),
  registration: view({ step: 'passkey_registration', card: VISA }),
  retry: view({
    step: 'passkey_registration',
    card: VISA,
    failure: { code: 'PAYMENT_FAILED' },
  }),
  approval: view({ step: 'approval', card: VISA, has_passkey: true }),
  'new-passkey': view({ step: 'approval', card: VISA, has_passkey: true, passkey_made_at: '2026-11-21T15:40:00.000Z' }),
  expiring: view({ step: 'card', more_time_from: '2026-11-21T15:40:00.000Z' }, 90),
  processing: view({ step: 'processing', card: VISA }),
  approved: ended({ outcome: 'approved', card: VISA, receipt: RECEIPT }),
  failed: ended({
    outcome: 'failed',
    failure: { code: 'CARD_DECLINED' },
  }),
  'failed-back': ended({
    ...{
      outcome: 'failed',
      failure: { code: 'INSUFFICIENT_FUNDS' },
      return_url: 'https://shop.test/cart?session_id=x',
    },
  }),
  cancelled: ended({ outcome: 'cancelled' }),
  hosted: ended({
    outcome: 'approved',
    integration_type: 'full_checkout',
    return_url: 'https://shop.test/thanks?session_id=x',
  }),
  over: ended({ outcome: 'expired' }),
  withdrawn: ended({ outcome: 'revoked' }),
  ...Object.fromEntries(Object.entries(setupScenarios(VISA, RECEIPT)).map(([name, fields]) => [name, view(fields)])),
  ...Object.fromEntries(Object.entries(enrollmentScenarios(VISA)).map(([name, fields]) => [name, view(fields)])),
  expired: { kind: 'refusal', status: 401, code: 'AUTH_1003', message: 'The session has expired.' },
  revoked: { kind: 'refusal', status: 401, code: 'AUTH_1004', message: 'The session was revoked.' },
  finished: { kind: 'refusal', status: 400, code: 'INVALID_STATE', message: 'The session is over.' },
  unknown: { kind: 'refusal', status: 404, code: 'NOT_FOUND', message: 'No such session.' },
  broken: { kind: 'refusal', status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong.' },
  busy: { kind: 'refusal', status: 429, code: 'RATE_LIMITED', message: 'Too many requests.', retryAfterSeconds: 20 },
}

export const DEFAULT_PAYMENT: PaymentView['payment'] = {
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

const OPERATOR = {
  name: 'Northpay',
  privacy_url: 'https://northpay.example/privacy',
  terms_url: 'https://northpay.example/terms',
  support_url: 'https://northpay.example/help',
}

/** The view of a scenario, with what it does not say filled in. */
export function viewOf(name: string, fields: ViewFields, expiresAt: Date): SurfaceView {
  const subject = subjectOf(fields)
  const view = {
    ...subject,
    operator: OPERATOR,
    merchant: { brand: {} },
    locale: null,
    session_id: name,
    step: 'card',
    outcome: null,
    failure: null,
    integration_type: 'embedding',
    allowed_origins: ['http://localhost:*'],
    return_url: null,
    environment: 'sandbox',
    cards: [],
    card: null,
    card_on_file: null,
    card_once: false,
    has_passkey: false,
    passkey_made_at: null,
    ...fields,
    expires_at: expiresAt.toISOString(),
    now: new Date().toISOString(),
  }
  return view as SurfaceView
}

function subjectOf({ kind }: ViewFields) {
  switch (kind) {
    case 'mandate_setup':
      return { kind, mandate: DEFAULT_MANDATE }
    case 'enrollment':
      return { kind, enrollment: DEFAULT_ENROLLMENT }
    default:
      return { kind: 'payment' as const, payment: DEFAULT_PAYMENT }
  }
}
