import { sentenceIn } from '@mintmark/contract/sentence'
import { en } from '@mintmark/contract/sentence/words/en'
import type { EnrollmentView } from '@mintmark/contract/wire/surface'
import { cardName } from '../../card-text.ts'
import { foreign, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, ReceiptLine } from '../flow.ts'
import { enrollmentSummary } from './summary.ts'
import { enrollmentTerms } from './terms.ts'
import { text } from './text/text.ts'

/** A card that is saved with a passkey, without a payment. Nothing is charged. */
export const enrollmentFlow: Flow<EnrollmentView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: ({ enrollment }) => plainText(text.save(foreign(enrollment.merchant_name))),
  trust: ({ enrollment }) => sharedText.trust(foreign(enrollment.merchant_name)),
  payee: ({ enrollment: { merchant_name: name } }) => ({ name }),
  summary: enrollmentSummary,
  approvalTitle: ({ enrollment }) => text.save(foreign(enrollment.merchant_name)),
  approvalAction: () => text.action,
  said: ({ operator: { name: operator }, enrollment: { merchant_name: payee } }) =>
    sentenceIn(en, { type: 'enrollment', operator, payee }, { locale: sharedText.locale, timeZone: null }),
  terms: enrollmentTerms,
  // What was entered is what is saved: another card is another enrollment.
  cardFixed: ({ enrollment, step }) => enrollment.card_fixed || step === 'approval',
  refusalMayEnd: true,
  outcome: (outcome, view) => ({
    title: text.outcomes[outcome].title,
    text: outcomeText(text, outcome, view.failure),
    receipt: outcome === 'approved' ? receipt(view) : [],
  }),
  failure: ({ failure }) => failureText(text, failure),
}

/** What there is to keep of a card that was saved. */
function receipt({ enrollment, card }: EnrollmentView): ReceiptLine[] {
  const words = text.receipt
  return [
    { label: words.who, value: [foreign(enrollment.merchant_name)] },
    ...(card === null ? [] : [{ label: sharedText.receipt.card, value: cardName(card) }]),
    ...(enrollment.passkey === null ? [] : [{ label: words.passkey, value: words.passkeys[enrollment.passkey] }]),
  ]
}
