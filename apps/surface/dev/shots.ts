/** A DEVELOPMENT TOOL: every screen there is, and how to get to it from its scenario. */
import type { Page } from 'playwright-core'
import { ENROLLMENT_SHOTS } from './enrollment-shots.ts'
import { SETUP_SHOTS } from './setup-shots.ts'
import { at, readyToApprove, type Shot } from './shot.ts'

/** What a browser does when the person closes its dialog. */
const DISMISSED =
  "navigator.credentials.create = navigator.credentials.get = async () => { throw new DOMException('Dismissed', 'NotAllowedError') }"

export async function typeCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').pressSequentially(number)
  await page.getByLabel('Expiry date').pressSequentially('930')
  await page.getByLabel('Security code').pressSequentially(number.startsWith('37') ? '1234' : '123')
}

const openRest = (page: Page) => page.locator('.lines-folded summary').click()

/** Sends the form that is shown. */
const submit = (page: Page) => page.locator('[type=submit]').click()

export const SHOTS: Shot[] = [
  { name: 'loading', scenario: 'loading', heading: null },
  at('card', 'Pay with a card'),
  at('many', 'Pay with a card', { name: 'card-production-many', scenario: 'production' }),
  at('card', 'Pay with a card', { name: 'card-filled', steps: (page) => typeCard(page, '4242424242424242') }),
  at('card', 'Pay with a card', {
    name: 'card-once',
    steps: (page) => page.getByRole('checkbox').check(),
  }),
  at('card', 'Pay with a card', {
    name: 'card-wrong',
    async steps(page) {
      await page.getByLabel('Card number').pressSequentially('371449635398432')
      await page.getByLabel('Expiry date').pressSequentially('0120')
      await submit(page)
    },
  }),
  at('card', 'Pay with a card', {
    name: 'card-refused',
    async steps(page) {
      await typeCard(page, '4000000000000002')
      await submit(page)
      await page.getByText('Your bank said no to this card.').waitFor()
    },
  }),
  at('card', 'Pay with a card', {
    name: 'cancel-question',
    steps: (page) => page.getByRole('button', { name: 'Not now' }).click(),
  }),
  at('quoted', 'Pay with a card'),
  at('quoted-approval', 'Approve $182.05', { steps: readyToApprove }),
  at('quoted-processing', 'Placing your order'),
  at('quoted-approved', 'Ordered and paid'),
  at('quoted-failed', 'The payment did not go through'),
  at('quoted-processing', 'Placing your order', {
    name: 'quoted-processing-slow',
    steps: (page) => page.getByText('longer than usual').waitFor(),
  }),
  at('quoted-unavailable', 'The payment did not go through'),
  at('quoted-needs-human', 'The payment did not go through'),
  at('quoted-expired', 'This payment has expired'),
  at('quoted-revoked', 'This payment was withdrawn'),
  at('saved', /^Approve \$40\.00/, { steps: readyToApprove }),
  at('saved', /^Approve \$40\.00/, {
    name: 'saved-change',
    steps: (page) => page.getByRole('button', { name: 'Change the card' }).click(),
  }),
  at('saved-expired', 'Choose a card'),
  at('foreign', 'Pay with a card'),
  at('untold', 'Pay with a card', { steps: openRest }),
  at('told', 'Pay with a card', { steps: openRest }),
  at('dinar', 'Pay with a card'),
  at('card', 'Pay with a card', {
    name: 'card-busy',
    before: (page) => page.route('**/api/cards', () => new Promise(() => {})),
    async steps(page) {
      await typeCard(page, '4242424242424242')
      await submit(page)
      await page.getByRole('button', { name: 'Checking your card…' }).waitFor()
    },
  }),
  at('cvv', 'Confirm your card'),
  at('cvv-expired', 'Confirm your card'),
  at('verification', 'Enter the code from your bank'),
  at('verification', 'Enter the code from your bank', {
    name: 'verification-wrong',
    async steps(page) {
      await page.getByLabel('One-time code').fill('000000')
      await submit(page)
      await page.getByText('That code is not right').waitFor()
    },
  }),
  at('registration', 'Create a passkey'),
  at('retry', 'Create a passkey'),
  at('registration', 'Create a passkey', {
    name: 'passkey-failed',
    before: (page) => page.addInitScript(DISMISSED),
    async steps(page) {
      await page.getByRole('button', { name: 'Create a passkey' }).click()
      await page.getByText('The passkey was not used').waitFor()
    },
  }),
  at('approval', /^Approve \$40\.00/, { steps: readyToApprove }),
  at('approval', /^Approve \$40\.00/, {
    name: 'approval-all',
    async steps(page) {
      await readyToApprove(page)
      await page.getByText('All of it, line by line').click()
    },
  }),
  at('approval', /^Approve \$40\.00/, {
    name: 'approval-not-used',
    before: (page) => page.addInitScript(DISMISSED),
    async steps(page) {
      await readyToApprove(page)
      await page.locator('.button-approve').click()
      await page.getByText('The passkey was not used').waitFor()
      await readyToApprove(page)
    },
  }),
  at('new-passkey', /^Approve \$40\.00/, { steps: readyToApprove }),
  at('foreign-approval', /^Approve \$1,232\.00/, { steps: readyToApprove }),
  at('huge', /^Approve \$999,999/, { steps: readyToApprove }),
  at('expiring', 'Pay with a card'),
  at('processing', 'Getting your payment ready'),
  at('processing', 'Getting your payment ready', {
    name: 'processing-slow',
    steps: (page) => page.getByText('longer than usual').waitFor(),
  }),
  at('approved', 'Approved'),
  at('foreign-approved', 'Approved'),
  at('hosted', 'Approved', {
    before: (page) => page.route('https://shop.test/**', (route) => route.fulfill({ status: 204 })),
  }),
  at('failed', 'The payment did not go through'),
  at('failed-back', 'The payment did not go through'),
  at('cancelled', 'Payment cancelled'),
  at('over', 'This payment has expired'),
  at('withdrawn', 'The merchant withdrew this payment'),
  at('expired', 'This link has expired', { name: 'expired-at-launch' }),
  at('revoked', 'The merchant withdrew this request', { name: 'revoked-at-launch' }),
  at('finished', 'This is finished already'),
  at('unknown', 'This link does not work'),
  { name: 'incomplete-link', scenario: '/s/ma_x/card', heading: 'This link is incomplete' },
  at('broken', 'That did not work'),
  at('busy', 'One moment, please'),
  at('card', 'Pay with a card', {
    name: 'offline',
    async steps(page) {
      await typeCard(page, '4242424242424242')
      await page.context().setOffline(true)
      await submit(page)
      await page.getByRole('heading', { name: 'You are offline' }).waitFor()
    },
  }),
  at('card', 'This browser cannot use passkeys', {
    name: 'unsupported',
    before: (page) => page.addInitScript('delete window.PublicKeyCredential'),
  }),
  ...SETUP_SHOTS,
  ...ENROLLMENT_SHOTS,
]
