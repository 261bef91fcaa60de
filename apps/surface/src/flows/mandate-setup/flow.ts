import type { MandateSetupView } from '@mintmark/contract/wire/surface'
import { dateText } from '../../locale.ts'
import { moneyPiece } from '../../money-text.ts'
import { foreign, type Phrase, plainText } from '../../phrase.ts'
import { SHARED_STEPS } from '../../steps.ts'
import { text as sharedText } from '../../text/text.ts'
import { failureText, outcomeText } from '../endings.ts'
import type { Flow, ReceiptLine } from '../flow.ts'
import { agreedAgent, askerOf, keptLines, payeeText } from '../lines.ts'
import { mandateLimits } from './limits.ts'
import { countText, mandateSummary, placeText } from './summary.ts'
import { mandateTerms, readTerms } from './terms.ts'
import { text } from './text/text.ts'

/** A standing permission: a merchant may charge within limits, allowed once. Nothing is charged when it is set up. */
export const mandateSetupFlow: Flow<MandateSetupView> = {
  steps: SHARED_STEPS,
  words: text.shared,
  title: (view) => plainText(allowed(view)),
  trust: (view) => sharedText.trust(askerOf(view, view.mandate.merchant_name)),
  payee: ({ mandate: { merchant_name: name, merchant_url: url } }) => ({ name, url }),
  summary: mandateSummary,
  approvalTitle: allowed,
  approvalAction: ({ mandate: { amount, currency, recurring_frequency } }) =>
    text.action(moneyPiece(amount, currency), recurring_frequency),
  terms: mandateTerms,
  limits: mandateLimits,
  agreed,
  outcome(outcome, view) {
    const words = wordsOf(view)
    const isApproved = outcome === 'approved'
    return {
      title: words.outcomes[outcome].title,
      text: outcomeText(words, outcome, view.failure),
      owners: isApproved ? (view.agent?.owner_url ?? null) : null,
      receipt: isApproved ? receipt(view) : [],
    }
  },
  failure: (view) => failureText(wordsOf(view), view.failure),
}

function allowed(view: MandateSetupView): Phrase {
  return text.allow(askerOf(view, view.mandate.merchant_name))
}

/** The ends of what an agent has asked for read otherwise. */
const wordsOf = ({ agent }: MandateSetupView) => (agent === null ? text : text.ofAgent)

/** What stands in sight is what is signed: the cardholder may have lowered the limits. */
function agreed(view: MandateSetupView, value: unknown): MandateSetupView {
  const terms = readTerms(value)
  if (terms === null) return view
  const { amount, currency, valid_until, most_total, max_charges, description } = terms
  const { name: merchant_name, url: merchant_url } = terms.payee
  const limits = { amount, currency, valid_until, most_total, max_charges, description }
  const mandate = { ...view.mandate, merchant_name, merchant_url, ...limits }
  return { ...view, agent: agreedAgent(view, terms), mandate }
}

/** What there is to keep of a permission. */
function receipt({ agent, mandate, card, receipt }: MandateSetupView): ReceiptLine[] {
  const { merchant_name: name, merchant_url: url, amount, currency, valid_until, most_total } = mandate
  const words = text.receipt
  const count = countText(mandate)
  return [
    { label: words.who, value: agent === null ? payeeText({ name, url }) : [foreign(agent.name)] },
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
