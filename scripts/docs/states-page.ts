import {
  CARD_STATUSES,
  CART_STATUSES,
  CHARGE_STATUSES,
  DELIVERY_STATES,
  ENDPOINT_STATES,
  LINE_ITEM_STATUSES,
  MANDATE_STATUSES,
  PAUSE_REASONS,
  SESSION_STATUSES,
  TRANSACTION_STATUS_OF,
  TRANSACTION_STATUSES,
  WALLET_CUSTOMER_STATUSES,
} from '@mintmark/contract'
import { CHARGE_TRANSITIONS } from '../../apps/server/src/charges/states.ts'
import {
  MERCHANT_RESULT_OF,
  PURCHASE_STATES,
  PURCHASE_TRANSITIONS,
} from '../../apps/server/src/checkout/purchases/states.ts'
import { ENROLLMENT_TRANSITIONS } from '../../apps/server/src/enrollment/states.ts'
import { MANDATE_TRANSITIONS } from '../../apps/server/src/mandates/states.ts'
import { LINE_ITEM_STATUS_OF } from '../../apps/server/src/sessions/rules.ts'
import { SESSION_TRANSITIONS, SETUP_TRANSITIONS } from '../../apps/server/src/sessions/states.ts'
import { CART_TRANSITIONS } from '../../apps/server/src/wallets/carts/states.ts'
import { WALLET_CUSTOMER_TRANSITIONS } from '../../apps/server/src/wallets/customers/states.ts'
import { DELIVERY_TRANSITIONS } from '../../apps/server/src/webhooks/delivery/states.ts'
import { ENDPOINT_TRANSITIONS } from '../../apps/server/src/webhooks/states.ts'
import { code, type Page, page, table } from './markdown.ts'
import * as texts from './state-texts.ts'

/** docs/reference/states.md: every state, and which moves exist. */
export function statesPage(): Page {
  return page('docs/reference/states.md', 'packages/contract/src/states.ts and the transition tables', [
    '# States',
    'A move that is not listed does not exist: a change of state is one `UPDATE` that names the states it may start from.',
    '## Payment session',
    statuses(SESSION_STATUSES, texts.SESSION_TEXTS),
    diagram('pending', SESSION_TRANSITIONS),
    movesTable(SESSION_TRANSITIONS, texts.SESSION_MOVES),
    '## Session that sets up a mandate',
    'It has no transaction and never awaits a result. `completed` means that the mandate was `active` once.',
    diagram('pending', SETUP_TRANSITIONS),
    movesTable(SETUP_TRANSITIONS, texts.SETUP_MOVES),
    '## Enrollment of a card',
    'Of a `full_enrollment`. `status` says what there is to do, `outcome` how far the card came. A status that is over never changes again: what was completed or has failed is neither cancelled nor expired later.',
    table(
      ['Status', 'Outcome', 'Meaning'],
      texts.ENROLLMENT_TEXTS.map(([status, outcomes, meaning]) => [
        code(status),
        outcomes.map(code).join(', '),
        meaning,
      ]),
    ),
    diagram('open', ENROLLMENT_TRANSITIONS),
    '`open` inside the service is `requires_action` or `processing`: the latter while a try of the cardholder is in hand. A failure that can be retried leads back to `requires_action`, with `error` and the card as it is.',
    '## Transaction and line item',
    'On the wire. A payment session has one transaction with one line item; both show the state of one charge.',
    statuses(TRANSACTION_STATUSES, texts.TRANSACTION_TEXTS),
    statuses(LINE_ITEM_STATUSES, texts.LINE_ITEM_TEXTS),
    '## Charge',
    'Inside the service. `minting` is what keeps an unknown outcome from being taken for a failure.',
    table(
      ['Charge', 'Transaction on the wire', 'Line item on the wire', 'Meaning'],
      CHARGE_STATUSES.map((status) => [
        code(status),
        code(TRANSACTION_STATUS_OF[status]),
        code(LINE_ITEM_STATUS_OF[status]),
        texts.CHARGE_TEXTS[status],
      ]),
    ),
    movesTable(CHARGE_TRANSITIONS, texts.CHARGE_MOVES),
    ...purchaseSection(),
    '## Mandate',
    'An ordinary checkout makes one per-checkout, one-time mandate of its approval. It is hidden from lists by `standing_only=true`.',
    statuses(MANDATE_STATUSES, texts.MANDATE_TEXTS),
    movesTable(MANDATE_TRANSITIONS, texts.MANDATE_MOVES),
    '## Card',
    'A list shows `active` and `deleted` cards: those that the network has accepted.',
    statuses(CARD_STATUSES, texts.CARD_TEXTS),
    '## Webhook endpoint',
    'None is stored: each follows from what is known of the endpoint. Only an `active` one is sent to.',
    statuses(ENDPOINT_STATES, texts.ENDPOINT_TEXTS),
    diagram('unverified', ENDPOINT_TRANSITIONS),
    movesTable(ENDPOINT_TRANSITIONS, texts.ENDPOINT_MOVES),
    '## Webhook delivery',
    'One event on its way to one endpoint. A replay is another one.',
    statuses(DELIVERY_STATES, texts.DELIVERY_TEXTS),
    movesTable(DELIVERY_TRANSITIONS, texts.DELIVERY_MOVES),
    table(
      ['`pause_reason`', 'Meaning'],
      PAUSE_REASONS.map((reason) => [code(reason), texts.PAUSE_TEXTS[reason]]),
    ),
    '## Customer of the wallet API',
    statuses(WALLET_CUSTOMER_STATUSES, texts.WALLET_CUSTOMER_TEXTS),
    movesTable(WALLET_CUSTOMER_TRANSITIONS, texts.WALLET_CUSTOMER_MOVES),
    '## Cart of the wallet API',
    statuses(CART_STATUSES, texts.CART_TEXTS),
    movesTable(CART_TRANSITIONS, texts.CART_MOVES),
  ])
}

/** What the service itself buys. */
function purchaseSection(): string[] {
  return [
    '## Purchase',
    'Of a quote-backed session: what the service itself buys. The session is `processing` until its charge has ended, and awaits no report. `merchant_res.status` is `unknown` while the shop has not answered in `quote_ready` or `paying`; that ends by its word, or an operator’s, and never by time.',
    table(
      ['Purchase', '`merchant_res.status`', 'Meaning'],
      PURCHASE_STATES.map((state) => [code(state), code(MERCHANT_RESULT_OF[state]), texts.PURCHASE_TEXTS[state]]),
    ),
    diagram('pending', PURCHASE_TRANSITIONS),
    movesTable(PURCHASE_TRANSITIONS, texts.PURCHASE_MOVES),
  ]
}

type Transitions = Readonly<Record<string, readonly string[]>>

/** `from → to` of every move, in the order of the table. */
export function movesOf(transitions: Transitions): string[] {
  return Object.entries(transitions).flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`))
}

function statuses<Status extends string>(all: readonly Status[], meanings: Readonly<Record<Status, string>>): string {
  return table(
    ['Status', 'Meaning'],
    all.map((status) => [code(status), meanings[status]]),
  )
}

function movesTable(transitions: Transitions, causes: Readonly<Record<string, string>>): string {
  return table(
    ['Move', 'Cause'],
    movesOf(transitions).map((move) => [move, causes[move] ?? '']),
  )
}

function diagram(initial: string, transitions: Transitions): string {
  const moves = movesOf(transitions).map((move) => `  ${move.replace('→', '-->')}`)
  const ends = Object.entries(transitions).filter(([, targets]) => targets.length === 0)
  return [
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${initial}`,
    ...moves,
    ...ends.map(([from]) => `  ${from} --> [*]`),
    '```',
  ].join('\n')
}
