/** A DEVELOPMENT TOOL: the one table of the page's screens. `screens.test.ts` looks at each, `screenshots.ts` draws them. */
import type {
  EnrollmentView,
  MandateSetupView,
  PaymentView,
  SurfaceEnrollment,
  SurfaceMandate,
  SurfaceView,
} from '@mintmark/contract/wire/surface'
import type { Page } from 'playwright-core'
import {
  AMEX,
  ARABIC_MANDATE,
  ARABIC_NAME,
  ATLAS,
  BRAND,
  DINERS,
  enrollment,
  FOREIGN,
  inDays,
  LONG_AGENT,
  LONG_MANDATE,
  LONG_NAME,
  MANY,
  mandate,
  OLD,
  ONE,
  OPERATOR,
  QUOTED,
  THIRTY,
  THREE,
  TOLD,
  UNTOLD,
  VISA,
  type ViewFields,
} from './views.ts'

export interface Scene {
  /** What the mock answers the launch with: a session, a refusal, or nothing at all. */
  launch: { view: ViewFields; seconds?: number } | Refused | null
  /** What is pressed to reach the screen. */
  press?: Press | undefined
  /** The heading that shows that the screen is there. */
  heading: string | RegExp
}
interface Refused {
  status: number
  code: string
  retryAfter?: number
}
type Press = (page: Page) => Promise<unknown>

/** At which widths and in which colours each scene is drawn. */
export const LOOKS = {
  desktop: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  narrow: { viewport: { width: 320, height: 640 }, colorScheme: 'light' },
  low: { viewport: { width: 375, height: 553 }, colorScheme: 'light' },
  side: { viewport: { width: 844, height: 390 }, colorScheme: 'light' },
} as const

/** `base` is where the mock is. */
export async function openScene(page: Page, base: string, name: string): Promise<void> {
  const scene = SCENES[name]
  if (scene === undefined) throw new Error(`There is no scene ${name}.`)
  // Where the page goes back to the shop by itself, an answer without content keeps it in sight.
  await page.route('https://shop.test/**', (route) => route.fulfill({ status: 204 }))
  await page.goto(`${base}/${name}#x`)
  await scene.press?.(page)
  await page.getByRole('heading', { name: scene.heading, level: 1 }).waitFor()
}

export async function typeCard(page: Page, number = '4242424242424242'): Promise<void> {
  await page.getByLabel('Card number').pressSequentially(number)
  await page.getByLabel('Expiry date').pressSequentially('930')
  await page.getByLabel('Security code').pressSequentially('123')
}

const click = (name: string) => (page: Page) => page.getByRole('button', { name }).click()
const openBill = (page: Page) => page.getByRole('button', { name: /^See (?:all|the whole)/ }).click()
const openLimits = (page: Page) => page.getByText('Change the limits', { exact: true }).click()
const LIMIT = 'Limit each month, in USD'

/** Scrolls to the button that signs and waits until it works. */
async function readyToSign(page: Page): Promise<void> {
  await page.locator('.sentence:not([aria-busy])').waitFor()
  await page.locator('.button-primary').scrollIntoViewIfNeeded()
  await page.locator('.button-primary:not(.button-waiting)').waitFor()
}

/** A browser does so when the person closes its dialog, and by another name when it has nothing for passkeys. */
const failPasskeys = (page: Page, name: string) =>
  page.evaluate((failure) => {
    const fail = () => Promise.reject(new DOMException('x', failure))
    Object.assign(CredentialsContainer.prototype, { create: fail, get: fail })
  }, name)

async function closeDialog(page: Page): Promise<void> {
  await readyToSign(page)
  await failPasskeys(page, 'NotAllowedError')
  await page.locator('.button-primary').click()
  await page.getByText('The passkey dialog closed.').waitFor()
  await page.locator('.button-primary:not(.button-waiting)').waitFor()
}

const sessionOf =
  <View extends SurfaceView>(kind: View['kind']) =>
  (heading: Scene['heading'], view: Partial<View> = {}, press?: Press): Scene => ({
    launch: { view: { kind, ...view } as ViewFields },
    press,
    heading,
  })
const pay = sessionOf<PaymentView>('payment')
const setUp = sessionOf<MandateSetupView>('mandate_setup')
const enroll = sessionOf<EnrollmentView>('enrollment')
/** In its last two minutes. */
const expiring = ({ launch, ...scene }: Scene): Scene => ({
  ...scene,
  launch: { ...launch, seconds: 90 } as Scene['launch'],
})
const refused = (heading: string, launch: Refused): Scene => ({ launch, heading })

const TO_VERIFY = {
  step: 'card_verification',
  card: { ...VISA, card_id: 'card_new', card_last4: '3220' },
  cards: [OLD, AMEX, DINERS],
} satisfies ViewFields
const TO_REGISTER = { step: 'passkey_registration', card: VISA } as const
const TO_SIGN = { step: 'approval', card: VISA, has_passkey: true } as const
/** As an operator sets its own name and a merchant's look. */
const PRODUCTION = {
  environment: 'production',
  operator: OPERATOR,
  merchant: { brand: BRAND },
} satisfies ViewFields
const PROCESSING = { step: 'processing', card: VISA } as const
const APPROVED = { step: 'done', outcome: 'approved', card: VISA } as const
/** The receipt is of now, as is the time until which a scene can be approved. */
const RECEIPT = { receipt: { approved_at: new Date().toISOString(), reference: 'order-10042' } }
const HOSTED = { integration_type: 'full_checkout', return_url: 'https://shop.test/thanks?session_id=x' } as const
const failed = <Code>(code: Code) => ({ step: 'done', outcome: 'failed', failure: { code } }) as const
const CANCELLED = { step: 'done', outcome: 'cancelled' } as const
const EXPIRED = { step: 'done', outcome: 'expired' } as const
const REVOKED = { step: 'done', outcome: 'revoked' } as const

const PAY = 'Pay with a card'
const ALLOW = /^Allow .* to charge your card$/
const NOT_PAID = 'The payment did not go through'

const CARD_SCENES: Record<string, Scene> = {
  card: pay(PAY),
  'card-production-many': pay(PAY, { environment: 'production', payment: MANY }),
  'card-filled': pay(PAY, {}, typeCard),
  'card-once': pay(PAY, {}, (page) => page.getByRole('checkbox').check()),
  'card-wrong': pay(PAY, {}, async (page) => {
    await page.getByLabel('Card number').pressSequentially('371449635398432')
    await page.getByLabel('Expiry date').pressSequentially('0120')
    await click('Continue')(page)
  }),
  'card-refused': pay(PAY, {}, async (page) => {
    await typeCard(page, '4000000000000002')
    await click('Continue')(page)
    await page.getByText('Your bank said no to this card.').waitFor()
  }),
  'card-busy': pay(PAY, {}, async (page) => {
    await page.route('**/api/cards', () => new Promise(() => {}))
    await typeCard(page)
    await click('Continue')(page)
    await page.getByRole('button', { name: 'Checking your card…' }).waitFor()
  }),
  'cancel-question': pay(PAY, {}, click('Cancel')),
  expiring: expiring(pay(PAY)),
  'more-time': expiring(
    pay(PAY, {}, async (page) => {
      await typeCard(page)
      await click('Need more time?')(page)
      await page.getByText(/1[01]:\d\d left to approve/).waitFor()
    }),
  ),
  offline: pay('You are offline', {}, async (page) => {
    await typeCard(page)
    await page.context().setOffline(true)
    await click('Continue')(page)
  }),
  unsupported: pay('This browser cannot use passkeys', {}, async (page) => {
    await page.addInitScript('delete window.PublicKeyCredential')
    await page.reload()
  }),
  foreign: pay(PAY, { payment: FOREIGN }),
  untold: pay(PAY, { payment: UNTOLD }, openBill),
  told: pay(PAY, { payment: TOLD }, openBill),
  dinar: pay(PAY, { payment: { ...MANY, currency: 'KWD' } }),
  quoted: pay(PAY, { payment: QUOTED }),
  saved: pay('Choose a card', { cards: [VISA, AMEX, DINERS, OLD] }),
  cvv: pay('Confirm your card', { step: 'card_cvv', card: AMEX }),
  'cvv-expired': pay('Confirm your card', { step: 'card_cvv', card_on_file: OLD }),
  verification: pay('Enter the code from your bank', TO_VERIFY),
  'verification-wrong': pay('Enter the code from your bank', TO_VERIFY, async (page) => {
    await page.getByLabel('One-time code').fill('000000')
    await click('Verify')(page)
    await page.getByText('That code is not right').waitFor()
  }),
}

const SIGNING_SCENES: Record<string, Scene> = {
  registration: pay('Create a passkey', TO_REGISTER),
  retry: pay('Create a passkey', { ...TO_REGISTER, failure: { code: 'PAYMENT_FAILED' } }),
  'registration-closed': pay('Create a passkey', TO_REGISTER, async (page) => {
    await failPasskeys(page, 'NotAllowedError')
    await click('Create a passkey')(page)
    await page.getByText('no passkey was created').waitFor()
  }),
  'passkey-failed': pay('Your device could not use a passkey', TO_REGISTER, async (page) => {
    await failPasskeys(page, 'UnknownError')
    await click('Create a passkey')(page)
  }),
  'approval-closed': pay(/^Approve \$40\.00/, TO_SIGN, closeDialog),
  'approval-closed-trouble': pay(/^Approve \$40\.00/, TO_SIGN, async (page) => {
    await closeDialog(page)
    await page.getByText('Trouble with your passkey?').click()
  }),
  'approval-closed-branded': pay(/^Approve \$40\.00/, { ...TO_SIGN, ...PRODUCTION }, closeDialog),
  'setup-closed': setUp(ALLOW, { ...TO_SIGN, ...mandate({ adjustable: true }) }, closeDialog),
  'approval-expiring': expiring(pay(/^Approve \$40\.00/, TO_SIGN, readyToSign)),
  approval: pay(/^Approve \$40\.00/, TO_SIGN, readyToSign),
  'approval-one': pay(/^Approve \$28\.00/, { ...TO_SIGN, payment: ONE }, readyToSign),
  'approval-three': pay(/^Approve \$49\.00/, { ...TO_SIGN, payment: THREE }, readyToSign),
  'approval-thirty': pay(/^Approve \$1,232\.00/, { ...TO_SIGN, payment: THIRTY }, readyToSign),
  'approval-branded': pay(/^Approve \$40\.00/, { ...TO_SIGN, ...PRODUCTION }, readyToSign),
  'approval-no-logo': pay(
    /^Approve \$40\.00/,
    { ...TO_SIGN, merchant: { brand: { logo_url: '/logos/ma_x/gone.png' } } },
    readyToSign,
  ),
  'approval-cards': pay(/^Approve \$40\.00/, { ...TO_SIGN, cards: [VISA, AMEX, DINERS, OLD] }, async (page) => {
    await readyToSign(page)
    await click('Change')(page)
  }),
  'approval-once': pay(/^Approve \$40\.00/, { ...TO_SIGN, card_once: true }, readyToSign),
  'new-passkey': pay(/^Approve \$40\.00/, { ...TO_SIGN, passkey_made_at: '2026-11-21T15:40:00.000Z' }, readyToSign),
  'foreign-approval': pay(/^Approve \$1,232\.00/, { ...TO_SIGN, payment: FOREIGN }, readyToSign),
  huge: pay(/^Approve \$999,999/, { ...TO_SIGN, payment: { ...MANY, amount: '999999999999.99' } }, readyToSign),
  'quoted-approval': pay('Approve $182.05', { ...TO_SIGN, payment: QUOTED }, readyToSign),
}

const waitLong = (page: Page) => page.getByText('longer than usual').waitFor()
const OF_QUOTE = { payment: QUOTED }

const ENDING_SCENES: Record<string, Scene> = {
  processing: pay('Getting your payment ready', PROCESSING),
  'processing-slow': pay('Getting your payment ready', PROCESSING, waitLong),
  approved: pay('Approved', { ...APPROVED, ...RECEIPT }),
  'foreign-approved': pay('Approved', { ...APPROVED, ...RECEIPT, payment: FOREIGN }),
  hosted: pay('Approved', { step: 'done', outcome: 'approved', ...HOSTED }),
  failed: pay(NOT_PAID, failed('CARD_DECLINED')),
  cancelled: pay('Payment cancelled', CANCELLED),
  over: pay('This payment has expired', EXPIRED),
  withdrawn: pay('The merchant withdrew this payment', REVOKED),
  'quoted-processing': pay('Placing your order', { ...PROCESSING, ...OF_QUOTE }),
  'quoted-processing-slow': pay('Placing your order', { ...PROCESSING, ...OF_QUOTE }, waitLong),
  'quoted-approved': pay('Ordered and paid', { ...APPROVED, ...RECEIPT, ...OF_QUOTE }),
  'quoted-failed': pay(NOT_PAID, { ...failed('CARD_DECLINED'), ...OF_QUOTE }),
  'quoted-unavailable': pay(NOT_PAID, { ...failed('MERCHANT_PREPARE_FAILED'), ...OF_QUOTE }),
  'quoted-needs-human': pay(NOT_PAID, { ...failed('MERCHANT_ACTION_REQUIRED'), ...OF_QUOTE }),
  'quoted-expired': pay('This payment has expired', { ...EXPIRED, ...OF_QUOTE }),
  'quoted-revoked': pay('This payment was withdrawn', { ...REVOKED, ...OF_QUOTE }),
}

/** These links open no session. */
const LINK_SCENES: Record<string, Scene> = {
  loading: { launch: null, heading: 'Secure payment' },
  'expired-at-launch': refused('This link has expired', { status: 401, code: 'AUTH_1003' }),
  'revoked-at-launch': refused('This request was withdrawn', { status: 401, code: 'AUTH_1004' }),
  finished: refused('This is finished already', { status: 400, code: 'INVALID_STATE' }),
  unknown: refused('This link does not work', { status: 404, code: 'NOT_FOUND' }),
  'incomplete-link': pay('This link is incomplete', {}, (page) => page.goto(new URL('/s/ma_x/card', page.url()).href)),
  broken: refused('That did not work', { status: 500, code: 'INTERNAL_ERROR' }),
  busy: refused('One moment, please', { status: 429, code: 'RATE_LIMITED', retryAfter: 20 }),
}

const ENTER = 'Enter the card that may be charged'
const toAllow = (asked: Partial<SurfaceMandate>, press: Press = readyToSign) =>
  setUp(ALLOW, { ...TO_SIGN, ...mandate(asked) }, press)

const SETUP_SCENES: Record<string, Scene> = {
  'setup-card': setUp(ENTER, mandate({ description: 'Monthly tea box' })),
  'setup-cancel-question': setUp(ENTER, mandate({ description: 'Monthly tea box' }), click('Cancel')),
  'setup-saved': setUp('Choose a card', { cards: [VISA] }),
  'setup-registration': setUp('Create a passkey', { ...TO_REGISTER, ...mandate({ adjustable: true }) }),
  'setup-retry': setUp(ENTER, { failure: { code: 'PAYMENT_FAILED' } }),
  'setup-approval': toAllow({}),
  'setup-adjustable': toAllow({ adjustable: true }),
  'setup-any': toAllow({
    merchant_scope: 'any',
    recurring_frequency: 'weekly',
    valid_until: inDays(365),
    most_total: '2120.00',
  }),
  'setup-times': toAllow({
    recurring_frequency: 'yearly',
    max_charges: 3,
    valid_until: inDays(1825),
    most_total: '120.00',
  }),
  'setup-once': toAllow({ recurring_frequency: 'one_time', valid_until: null, most_total: '40.00', adjustable: true }),
  'setup-yen': toAllow({ currency: 'JPY', amount: '4000.00', most_total: '96000.00', adjustable: true }),
  'setup-arabic': toAllow(ARABIC_MANDATE),
  'setup-limits': toAllow({ adjustable: true }, openLimits),
  'setup-limits-wrong': toAllow({ adjustable: true }, async (page) => {
    await openLimits(page)
    await page.getByLabel(LIMIT).fill('50')
    await page.getByLabel('End date').fill('2020-01-01')
    await click('Use these limits')(page)
    await page.getByText('it can be lowered, not raised').waitFor()
  }),
  'setup-limits-lowered': toAllow({ adjustable: true }, async (page) => {
    await openLimits(page)
    await page.getByLabel(LIMIT).fill('25')
    await click('Use these limits')(page)
    await page.locator('.sentence', { hasText: '$25.00' }).waitFor()
    await readyToSign(page)
  }),
  'setup-long': toAllow(LONG_MANDATE, openLimits),
  'setup-long-wrong': toAllow(LONG_MANDATE, async (page) => {
    await openLimits(page)
    await page.getByLabel(LIMIT).fill('1000000000')
    await page.keyboard.press('Enter')
    await page.getByText('it can be lowered, not raised').waitFor()
  }),
  'setup-processing': setUp('Setting up what you allowed', PROCESSING),
  'setup-allowed': setUp('Allowed', { ...APPROVED, ...RECEIPT }),
  'setup-arabic-allowed': setUp('Allowed', { ...APPROVED, ...RECEIPT, ...mandate(ARABIC_MANDATE) }),
  'setup-hosted': setUp('Allowed', { ...APPROVED, ...RECEIPT, ...HOSTED }),
  'setup-failed': setUp('This could not be allowed', failed('CARD_DECLINED')),
  'setup-cancelled': setUp('Not allowed', CANCELLED),
  'setup-over': setUp('This request has expired', EXPIRED),
  'setup-withdrawn': setUp('The merchant withdrew this request', REVOKED),
}

const SAVED = 'Your card is saved'
const toSave = (asked: Partial<SurfaceEnrollment>) =>
  enroll(/^Save your card with /, { ...TO_SIGN, ...enrollment(asked) }, readyToSign)
const { card_id: _, ...ON_FILE } = VISA

const ENROLLMENT_SCENES: Record<string, Scene> = {
  'enroll-card': enroll('Enter the card to save'),
  'enroll-cancel-question': enroll('Enter the card to save', {}, click('Cancel')),
  'enroll-on-file': enroll('Confirm your card', {
    step: 'card_cvv',
    card_on_file: ON_FILE,
    ...enrollment({ card_fixed: true }),
  }),
  'enroll-verification': enroll('Enter the code from your bank', { step: 'card_verification', card: VISA }),
  'enroll-registration': enroll('Create a passkey', TO_REGISTER),
  'enroll-confirm': toSave({}),
  'enroll-arabic': toSave(ARABIC_NAME),
  'enroll-long': toSave(LONG_NAME),
  'enroll-processing': enroll('Saving your card', PROCESSING),
  'enroll-saved': enroll(SAVED, { ...APPROVED, ...enrollment({ passkey: 'registered' }) }),
  'enroll-saved-existing': enroll(SAVED, { ...APPROVED, ...enrollment({ ...LONG_NAME, passkey: 'existing' }) }),
  'enroll-hosted': enroll(SAVED, { ...APPROVED, ...HOSTED, ...enrollment({ passkey: 'registered' }) }),
  'enroll-failed': enroll('This card could not be saved', failed('CARD_DECLINED')),
  'enroll-blocked': enroll('This card could not be saved', failed('PASSKEY_BLOCKED')),
  'enroll-cancelled': enroll('Cancelled', CANCELLED),
  'enroll-over': enroll('This request has expired', EXPIRED),
  'enroll-withdrawn': enroll('The merchant withdrew this request', REVOKED),
}

/** What an agent asks its owner for. */
const AGENT_SCENES: Record<string, Scene> = {
  'agent-card': pay(PAY, ATLAS),
  'agent-approval': pay(/^Approve \$40\.00/, { ...TO_SIGN, ...ATLAS }, readyToSign),
  'agent-approved': pay('Approved', { ...APPROVED, ...RECEIPT, ...ATLAS }),
  'agent-bought': pay('Ordered and paid', { ...APPROVED, ...RECEIPT, ...OF_QUOTE, ...LONG_AGENT }),
  'agent-withdrawn': pay('This payment was withdrawn', { ...REVOKED, ...ATLAS }),
  'agent-setup-card': setUp(ENTER, ATLAS),
  'agent-setup-approval': setUp(ALLOW, { ...TO_SIGN, ...ATLAS }, readyToSign),
  'agent-setup-long': setUp(ALLOW, { ...TO_SIGN, ...LONG_AGENT, ...mandate({ adjustable: true }) }, readyToSign),
  'agent-setup-allowed': setUp('Allowed', { ...APPROVED, ...RECEIPT, ...ATLAS }),
  'agent-setup-hosted': setUp('Allowed', { ...APPROVED, ...RECEIPT, ...HOSTED, ...LONG_AGENT }),
  'agent-setup-failed': setUp('This could not be allowed', { ...failed('PAYMENT_FAILED'), ...ATLAS }),
  'agent-setup-withdrawn': setUp('This request was withdrawn', { ...REVOKED, ...ATLAS }),
}

export const SCENES: Record<string, Scene> = {
  ...AGENT_SCENES,
  ...CARD_SCENES,
  ...SIGNING_SCENES,
  ...ENDING_SCENES,
  ...LINK_SCENES,
  ...SETUP_SCENES,
  ...ENROLLMENT_SCENES,
}
