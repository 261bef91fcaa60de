import type { MandateSetupView } from '@mintmark/contract/wire/surface'
import { dateText } from '../../locale.ts'
import { moneyPiece } from '../../money-text.ts'
import { foreign, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, TermLine } from '../flow.ts'
import { keptLines, payeeText } from '../lines.ts'
import { mandateLimits } from './limits.ts'
import { countText, mandateSummary, placeText } from './summary.ts'
import { mandateTerms, readTerms } from './terms.ts'
import { text } from './text/text.ts'

/** A standing permission: a merchant may charge within limits, allowed once. Nothing is charged when it is set up. */
export const mandateSetupFlow: Flow<MandateSetupView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: ({ mandate }) => plainText(text.allow(foreign(mandate.merchant_name))),
  trust: ({ mandate }) => sharedText.trust(foreign(mandate.merchant_name)),
  summary: mandateSummary,
  approvalTitle: ({ mandate }) => text.allow(foreign(mandate.merchant_name)),
  approvalAction: ({ mandate: { amount, currency, recurring_frequency } }) =>
    text.action(moneyPiece(amount, currency), recurring_frequency),
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

/** The limits as the terms have them: the cardholder may have lowered them. */
function agreed(view: MandateSetupView, value: unknown): MandateSetupView {
  const terms = readTerms(value)
  if (terms === null) return view
  const { amount, valid_until, most_total, max_charges } = terms
  return { ...view, mandate: { ...view.mandate, amount, valid_until, most_total, max_charges } }
}

/** What there is to keep of a permission. */
function receipt({ mandate, card, receipt }: MandateSetupView): TermLine[] {
  const { merchant_name: name, merchant_url: url, amount, currency, valid_until, most_total } = mandate
  const words = text.terms
  const count = countText(mandate)
  return [
    { label: words.who, value: payeeText({ name, url }) },
    { label: words.limit, value: text.limit(moneyPiece(amount, currency), mandate.recurring_frequency) },
    ...(count === null ? [] : [{ label: words.count, value: count }]),
    { label: words.where, value: placeText(mandate.merchant_scope, url) },
    {
      label: words.until,
      value: valid_until === null ? words.fromPermission : [foreign(dateText(new Date(valid_until)))],
    },
    { label: words.most, value: words.mostOf(moneyPiece(most_total, currency)) },
    ...keptLines(card, receipt, text.receipt.time),
  ]
}
