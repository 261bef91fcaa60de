/**
 * What leaves open what a shop did: the question may or may not have arrived. The guard makes `unknown` of it. The
 * message is made of fixed words and codes, and holds nothing that the shop wrote.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export function malformed(): NoAnswer {
  return new NoAnswer('malformed answer')
}

/**
 * What was to be prepared waits for a person at the shop. `prepare` has no word for that, and `ok` would have a card
 * minted for it: the inquiry that follows says it.
 */
export function wantsPerson(): NoAnswer {
  return new NoAnswer('a person is wanted')
}
