import type { EnrollmentView } from '@mintmark/contract/wire/surface'
import { cardName } from '../../card-text.ts'
import { filled, foreign, type Phrase, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, TermLine } from '../flow.ts'
import { cardAgreed } from '../lines.ts'
import { enrollmentBill } from './summary.ts'
import { enrollmentTerms, readTerms } from './terms.ts'
import { text } from './text/text.ts'

/** A card that is saved with a passkey, without a payment. Nothing is charged. */
export const enrollmentFlow: Flow<EnrollmentView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: (view) => plainText(titleOf(view)),
  trust: ({ enrollment }) => filled(sharedText.trust, { merchant: foreign(enrollment.merchant_name) }),
  party: ({ enrollment }) => ({ name: enrollment.merchant_name }),
  bill: enrollmentBill,
  // Making a passkey alone allows it: then no terms come that say it.
  say: ({ operator, enrollment }) =>
    filled(text.say, { operator: foreign(operator.name), merchant: foreign(enrollment.merchant_name) }),
  approvalTitle: titleOf,
  approvalAction: () => text.action,
  terms: enrollmentTerms,
  agreed,
  cardFixed: ({ enrollment }) => enrollment.card_fixed,
  refusalMayEnd: true,
  outcome: (outcome, view) => ({
    title: text.outcomes[outcome].title,
    text: outcomeText(text, outcome, view.failure),
    receipt: outcome === 'approved' ? receipt(view) : [],
  }),
  failure: ({ failure }) => failureText(text, failure),
}

function titleOf({ enrollment }: EnrollmentView): Phrase {
  return filled(text.save, { merchant: foreign(enrollment.merchant_name) })
}

/** The keeper of the card, as the terms have it. */
function agreed(view: EnrollmentView, value: unknown): EnrollmentView {
  const terms = readTerms(value)
  if (terms === null) return view
  return {
    ...view,
    card: cardAgreed(view, terms.card),
    enrollment: { ...view.enrollment, merchant_name: terms.merchant_name },
  }
}

/** What there is to keep of a card that was saved. */
function receipt({ enrollment, card }: EnrollmentView): TermLine[] {
  const words = text.terms
  return [
    { label: words.who, value: [foreign(enrollment.merchant_name)] },
    ...(card === null ? [] : [{ label: sharedText.terms.card, value: cardName(card) }]),
    ...(enrollment.passkey === null ? [] : [{ label: words.passkey, value: words.passkeys[enrollment.passkey] }]),
  ]
}
