/**
 * What leaves open what a shop did: the question may or may not have arrived. The guard makes `unknown` of it. The message is
 * made of fixed words and codes, and holds nothing that the shop wrote.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export function malformed(): NoAnswer {
  return new NoAnswer('malformed answer')
}
