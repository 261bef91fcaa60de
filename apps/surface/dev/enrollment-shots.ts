/** A DEVELOPMENT TOOL: the screens of saving a card without a payment. */
import { at, readyToApprove, type Shot } from './shot.ts'

const SAVE = /^Save your card with /

export const ENROLLMENT_SHOTS: Shot[] = [
  at('enroll-card', 'Enter the card to save'),
  at('enroll-card', 'Enter the card to save', {
    name: 'enroll-cancel-question',
    steps: (page) => page.getByRole('button', { name: 'Not now' }).click(),
  }),
  at('enroll-on-file', 'Confirm your card'),
  at('enroll-verification', 'Enter the code from your bank'),
  at('enroll-registration', 'Create a passkey'),
  ...['confirm', 'arabic', 'long'].map((name) => at(`enroll-${name}`, SAVE, { steps: readyToApprove })),
  at('enroll-processing', 'Saving your card'),
  at('enroll-saved', 'Your card is saved'),
  at('enroll-saved-existing', 'Your card is saved'),
  at('enroll-hosted', 'Your card is saved', {
    before: (page) => page.route('https://shop.test/**', (route) => route.fulfill({ status: 204 })),
  }),
  at('enroll-failed', 'This card could not be saved'),
  at('enroll-blocked', 'This card could not be saved'),
  at('enroll-cancelled', 'Cancelled'),
  at('enroll-over', 'This request has expired'),
  at('enroll-withdrawn', 'The merchant withdrew this request'),
]
