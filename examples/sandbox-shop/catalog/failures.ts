/**
 * What goes wrong when a product is bought. A basket fails as its first such product does. Failures of the answer
 * happen at the first try of a payment only, so that asking again, or inquiring, finds the truth.
 */
export const FAILURES = {
  out_of_stock: 'In the catalog it is there; reserving it is refused with `out_of_stock`.',
  price_changed: 'Reserving it is refused with `price_changed`.',
  card_declined: 'The payment is refused with `card_declined`. The acquirer is not asked.',
  insufficient_funds: 'The payment is refused with `insufficient_funds`. The acquirer is not asked.',
  needs_human: 'The shop wants to speak to the buyer first: `needs_human`. Nothing is paid, the goods stay reserved.',
  lost_before: 'The connection breaks before anything is paid. Paying again works.',
  lost_after: 'It is paid, and the connection breaks before the answer. An inquiry says `paid`.',
  slow: 'The answer to the payment takes 45 seconds. Until it is there, an inquiry says `in_progress`.',
  garbage: 'It is paid, and the answer is a page of HTML. An inquiry says `paid`.',
} as const
export type Failure = keyof typeof FAILURES
