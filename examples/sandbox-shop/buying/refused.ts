/**
 * What the shop says no with: the code is for programs, the message for people. The status is where the code is
 * declared.
 */
const REFUSALS = {
  invalid_request: [400, 'The request does not make sense to the shop.'],
  unauthorized: [401, 'The key is missing or wrong.'],
  card_declined: [402, 'The card was declined.'],
  insufficient_funds: [402, 'The card has not enough funds.'],
  not_found: [404, 'There is no such thing here.'],
  method_not_allowed: [405, 'This address takes other methods.'],
  conflict: [409, 'This reference was used for something else.'],
  out_of_stock: [409, 'There is not enough of it.'],
  price_changed: [409, 'It costs something else now.'],
  quote_expired: [409, 'The quote is too old.'],
  released: [409, 'The checkout was given back.'],
  declined: [409, 'The payment of this checkout was declined, and its goods were given back.'],
  paid: [409, 'The checkout is paid.'],
  in_progress: [409, 'The payment is under way.'],
  needs_human: [409, 'The checkout waits for a person.'],
  too_large: [413, 'The request is too large.'],
  address_refused: [422, 'The shop does not send there.'],
  acquirer_unreachable: [503, 'The payment service cannot be reached. Nothing was paid; try again.'],
} as const
export type RefusalCode = keyof typeof REFUSALS

/** A refusal changed nothing, unless the code says so. */
export class Refused extends Error {
  override name = 'Refused'
  code: RefusalCode
  status: number

  constructor(code: RefusalCode, message: string = REFUSALS[code][1]) {
    super(message)
    this.code = code
    this.status = REFUSALS[code][0]
  }
}
