import type { EnrolledPasskey } from '@mintmark/contract/states'
import type { SurfaceOutcome } from '@mintmark/contract/surface'
import type { EnrollmentView } from '@mintmark/contract/wire/surface'
import type { Foreign, Phrase } from '../../../phrase.ts'
import type { FlowText } from '../../flow.ts'
import type { CardState } from '../card-state.ts'

const NOTHING = 'Nothing was charged.'

/** What became of the card. Each sentence says last what became of the money. */
const outcomes: Record<SurfaceOutcome, { title: string; text: string }> = {
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
}

/** A failure of the contract without words does not compile. */
const failures: Record<NonNullable<EnrollmentView['failure']>['code'], string> = {
  CARD_DECLINED: `This card is not accepted here. Start again from the page you came from to use another one. ${NOTHING}`,
  PASSKEY_BLOCKED: `Your passkey can no longer be used. Ask the merchant for help. ${NOTHING}`,
}

/** Over what is saved. */
const states: Record<CardState, string> = {
  toSave: 'To save',
  inProgress: 'In progress',
  saved: 'Saved',
  notSaved: 'Not saved',
  ended: 'Ended',
}

const passkeys: Record<EnrolledPasskey, string> = {
  registered: 'Created just now',
  existing: 'The one you had already',
}

/** The words of saving a card without a payment, in English. */
export const en = {
  outcomes,
  failures,
  shared: {
    cancel: 'Cancel without saving a card?',
    enterCard: 'Enter the card to save',
    keeping: 'We keep this card for your next payment.',
    afterPasskey: 'Then your card is saved. Nothing is charged now.',
    processing: {
      title: 'Saving your card',
      text: 'This takes a few seconds. Nothing is charged.',
      slow: 'The card network takes longer than usual. Nothing is charged; keep this page open.',
    },
  } satisfies FlowText,
  action: 'Save this card',
  save: (merchant: Foreign): Phrase => ['Save your card with ', merchant],
  summary: {
    label: 'What you save',
    states,
    what: 'Your card',
    note: (merchant: Foreign): Phrase => ['Nothing is charged now. ', merchant, ' asks you before each payment.'],
  },
  receipt: {
    who: 'Saved with',
    passkey: 'Passkey',
    passkeys,
  },
}
