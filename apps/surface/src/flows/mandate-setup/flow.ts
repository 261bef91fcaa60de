import type { MandateSetupView } from '@mintmark/contract/wire/surface'
import { moneyPiece } from '../../money-text.ts'
import { filled, foreign, type Phrase, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, TermLine } from '../flow.ts'
import { cardAgreed, keptLines, payeeText } from '../lines.ts'
import { mandateLimits } from './limits.ts'
import { countText, dayPiece, eachText, mandateBill, placeText, sayOf } from './summary.ts'
import { mandateOf, mandateTerms, readTerms } from './terms.ts'
import { text } from './text/text.ts'

/** A standing permission: a merchant may charge within limits, allowed once. Nothing is charged when it is set up. */
export const mandateSetupFlow: Flow<MandateSetupView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: (view) => plainText(titleOf(view)),
  trust: ({ mandate }) => filled(sharedText.trust, { merchant: foreign(mandate.merchant_name) }),
  party: ({ mandate }) => ({ name: mandate.merchant_name, url: mandate.merchant_url }),
  bill: mandateBill,
  say: ({ mandate }) => sayOf(mandate),
  approvalTitle: titleOf,
  approvalAction: ({ mandate }) => filled(text.action, { limit: eachText(mandate) }),
  terms: mandateTerms,
  limits: mandateLimits,
  agreed,
  outcome: (outcome, view) => ({
    title: text.outcomes[outcome].title,
    text: outcomeText(text, outcome, view.failure),
    receipt: outcome === 'approved' ? receipt(view) : [],
  }),
  failure: ({ failure }) => failureText(text, failure),
}

function titleOf({ mandate }: MandateSetupView): Phrase {
  return filled(text.allow, { merchant: foreign(mandate.merchant_name) })
}

/** The limits as the terms have them: the cardholder may have lowered them. */
function agreed(view: MandateSetupView, value: unknown): MandateSetupView {
  const terms = readTerms(value)
  if (terms === null) return view
  return { ...view, card: cardAgreed(view, terms.card), mandate: { ...view.mandate, ...mandateOf(terms) } }
}

/** What there is to keep of a permission. */
function receipt({ mandate, card, receipt }: MandateSetupView): TermLine[] {
  const { merchant_name: name, merchant_url: url, currency, valid_until, most_total } = mandate
  const words = text.terms
  const count = countText(mandate)
  return [
    { label: words.who, value: payeeText({ name, url }) },
    { label: words.limit, value: filled(text.limit, { limit: eachText(mandate) }) },
    ...(count === null ? [] : [{ label: words.count, value: count }]),
    { label: words.where, value: placeText(mandate.merchant_scope, url) },
    {
      label: words.until,
      value: valid_until === null ? words.fromPermission : [dayPiece(valid_until)],
    },
    { label: words.most, value: filled(words.mostOf, { total: moneyPiece(most_total, currency) }) },
    ...keptLines(card, receipt, text.receipt.time),
  ]
}
