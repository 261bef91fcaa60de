import type { MandateSetupView } from '@mintmark/contract/wire/surface'
import { dateText } from '../../locale.ts'
import { moneyPiece } from '../../money-text.ts'
import { foreign, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, ReceiptLine } from '../flow.ts'
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
  payee: ({ mandate: { merchant_name: name, merchant_url: url } }) => ({ name, url }),
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

/** What stands in sight is what is signed: the cardholder may have lowered the limits. */
function agreed(view: MandateSetupView, value: unknown): MandateSetupView {
  const terms = readTerms(value)
  if (terms === null) return view
  const { amount, currency, valid_until, most_total, max_charges, description } = terms
  const { name: merchant_name, url: merchant_url } = terms.payee
  const limits = { amount, currency, valid_until, most_total, max_charges, description }
  return { ...view, mandate: { ...view.mandate, merchant_name, merchant_url, ...limits } }
}

/** What there is to keep of a permission. */
function receipt({ mandate, card, receipt }: MandateSetupView): ReceiptLine[] {
  const { merchant_name: name, merchant_url: url, amount, currency, valid_until, most_total } = mandate
  const words = text.receipt
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
    ...keptLines(card, receipt, words.time),
  ]
}
