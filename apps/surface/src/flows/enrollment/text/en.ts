import type { EnrolledPasskey } from '@mintmark/contract/states'
import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { EnrollmentView } from '@mintmark/contract/wire/surface'
import type { FlowText } from '../../flow.ts'
import type { CardState } from '../card-state.ts'

const NOTHING = 'Nothing was charged.'

/** What became of the card. Each sentence says last what became of the money. */
const outcomes = {
  approved: {
    title: 'Your card is saved',
    text: `You approve each payment with your passkey before it is made. ${NOTHING}`,
  },
  failed: { title: 'This card could not be saved', text: `The merchant can tell you why. ${NOTHING}` },
  cancelled: { title: 'Cancelled', text: `You cancelled it. ${NOTHING}` },
  expired: {
    title: 'This request has expired',
    text: `The time to save a card here is over. Start again from the page you came from. ${NOTHING}`,
  },
  revoked: {
    title: 'The merchant withdrew this request',
    text: `Ask the merchant if you did not expect this. ${NOTHING}`,
  },
} as const satisfies Record<SurfaceOutcome, { title: string; text: string }>

/** A failure of the contract without words does not compile. */
const failures = {
  CARD_DECLINED: `This card is not accepted here. Start again from the page you came from to use another one. ${NOTHING}`,
  PASSKEY_BLOCKED: `Your passkey can no longer be used. Ask the merchant for help. ${NOTHING}`,
} as const satisfies Record<NonNullable<EnrollmentView['failure']>['code'], string>

/** Over what is saved. */
const states = {
  toSave: 'To save',
  inProgress: 'In progress',
  saved: 'Saved',
  notSaved: 'Not saved',
  ended: 'Ended',
} as const satisfies Record<CardState, string>

const passkeys = {
  registered: 'Created just now',
  existing: 'The one you had already',
} as const satisfies Record<EnrolledPasskey, string>

/** The words of saving a card without a payment, in English. */
export const en = {
  outcomes,
  failures,
  shared: {
    cancel: { start: 'Not now', question: 'Cancel without saving a card?' },
    enterCard: 'Enter the card to save',
    keeping: '{operator} keeps this card for your next payment.',
    afterPasskey: 'Then your card is saved. Nothing is charged now.',
    processing: {
      title: 'Saving your card',
      text: 'This takes a few seconds. Nothing is charged.',
      slow: 'The card network takes longer than usual. Nothing is charged; keep this page open.',
    },
  } as const satisfies FlowText,
  action: 'Confirm with passkey',
  /** As the sentence that is signed says it. */
  say: '{operator} keeps this card for you. {merchant} asks you before each payment.',
  save: 'Save your card with {merchant}',
  summary: {
    label: 'What you save',
    states,
    what: 'Your card',
  },
  terms: {
    who: 'Saved with',
    charged: 'Charged now',
    nothing: 'Nothing',
    approveBy: 'Confirm by',
    passkey: 'Passkey',
    passkeys,
  },
} as const
