import {
  CARD_REFUSALS,
  type CardRefusal,
  FAILURE_CATEGORIES,
  FAILURE_CATEGORY_OF,
  PAYMENT_FAILURES,
  type PaymentFailure,
} from '@mintmark/contract'
import { failureOf } from '../../apps/server/src/charges/rules.ts'
import { DECLINE_REASONS, type DeclineReason } from '../../apps/server/src/network/port.ts'
import { text } from '../../apps/surface/src/text/text.ts'
import { CATEGORY_TEXTS, FAILURE_TEXTS, REASON_TEXTS } from './decline-texts.ts'
import { code, type Page, page, table } from './markdown.ts'

/** docs/reference/declines.md: why a payment failed, and why the network declines. */
export function declinesPage(): Page {
  const failures = Object.keys(PAYMENT_FAILURES) as PaymentFailure[]
  return page('docs/reference/declines.md', 'packages/contract/src/states.ts and apps/server/src/network/port.ts', [
    '# Declines',
    '## Payment failures',
    FAILURES_NOTE,
    table(
      ['Code', 'Message', 'What to do', 'Category'],
      failures.map((name) => [
        code(name),
        PAYMENT_FAILURES[name],
        FAILURE_TEXTS[name],
        code(FAILURE_CATEGORY_OF[name]),
      ]),
    ),
    '## Failure categories',
    CATEGORIES_NOTE,
    table(
      ['Category', 'Meaning', 'Codes'],
      FAILURE_CATEGORIES.map((category) => [
        code(category),
        CATEGORY_TEXTS[category],
        failures
          .filter((name) => FAILURE_CATEGORY_OF[name] === category)
          .map(code)
          .join(', '),
      ]),
    ),
    '## Decline reasons of the card network',
    REASONS_NOTE,
    table(
      ['Reason', 'Meaning', 'As a payment failure', 'What the cardholder reads while entering the card'],
      DECLINE_REASONS.map((reason) => [
        code(reason),
        REASON_TEXTS[reason],
        code(failureOf(reason)),
        isCardRefusal(reason) ? text.cardRefusals[reason] : '',
      ]),
    ),
  ])
}

function isCardRefusal(reason: DeclineReason): reason is CardRefusal {
  return (CARD_REFUSALS as readonly DeclineReason[]).includes(reason)
}

const FAILURES_NOTE = `The \`error\` of a payment result whose status is \`failed\`. The same \`error\` stands on the result, on its
transaction and on its line item. The payment result itself is answered with HTTP 200.`

const CATEGORIES_NOTE = `The \`failure_category\` of an [event](events.md): few words for those who count, the same for payments
and for the setup of mandates. Each code has one category; a code may be added to a category later.`

const REASONS_NOTE = `Why a network refused, most specific first: when several apply, the first in this list is given. While a card is
entered, or put in the vault, the answer is \`CARD_REFUSED\` with the reason in \`details.reason\`: one that has words in the last column as it
is, every other one as \`CARD_DECLINED\`, for which it was would help only who tries stolen numbers. Whoever enrolls a card reads
\`BIN_COUNTRY_NOT_ALLOWED\` and \`BIN_ISSUER_NOT_ALLOWED\` in the status of the enrollment, or in the answer of \`provision_only\`. While a
credential is minted, the merchant sees the payment failure only. A question the network did not answer is never in this list: unknown is not a
refusal, and it is asked again.`
