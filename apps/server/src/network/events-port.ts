import type { Money } from '../platform/money.ts'
import type { NetworkAnswer } from './port.ts'

// What a network tells of payments besides what it is asked for: the second, small port. A network whose
// `observesOutcomes` is true has it, and it passes the same conformance suite.

/**
 * What happened to a payment at a shop. `authorized`: the network said yes, and holds the amount; `declined`: it said
 * no. `captured`: the shop has taken it. `reversed`, `expired`: an amount that was held is held no more, and was not
 * taken. `refunded`: the shop has given it back. `disputed`: it is contested.
 */
export const FACT_KINDS = ['authorized', 'declined', 'captured', 'reversed', 'expired', 'refunded', 'disputed'] as const
export type FactKind = (typeof FACT_KINDS)[number]

/** One of them. A fact never changes: what changes is a fact more. */
export interface NetworkFact {
  /** The network's own name of it, the same however often and by whichever way it is told. */
  factId: string
  kind: FactKind
  amount: Money
  /** The shop, as the network names it. */
  merchant: string | null
  occurredAt: Date
}

/** That there is something new about a charge. What it is, is read at the network. */
export interface ChargeNews {
  chargeId: string
  mandateId: string
}

/** A message as it came in: bytes that no reader has touched. */
export interface NetworkMessage {
  body: Buffer
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** `refused`: it is not from the network, or too old. `unknown`: that could not be found out, and it may come again. */
export type ReceivedMessage =
  | { outcome: 'ok'; value: { news: ChargeNews[] } }
  | { outcome: 'refused' }
  | { outcome: 'unknown'; cause: string }

export interface NetworkEvents {
  /** Where its messages come in at the main API; absent: the network sends none over HTTP. */
  readonly path?: string
  /** The charges that a message of the network is about. What else it says decides nothing. */
  receive(message: NetworkMessage): Promise<ReceivedMessage>
  /** Everything that has happened to the payment of a charge, read at its source. Changes nothing of it. */
  observed(request: { chargeId: string }): Promise<NetworkAnswer<{ facts: NetworkFact[] }>>
  /** Which charges there is something new about since then: the whole list, or `unknown`. */
  listNews(request: { since: Date }): Promise<NetworkAnswer<{ news: ChargeNews[] }>>
}
