/** The acquirer's answers: ISO 8583 response codes, and what each means here. A request gets each of them. */
export const RESPONSE_CODES = {
  '00': 'Approved.',
  '03': 'The credential is locked to another merchant.',
  '05': 'Do not honour: the test card says so.',
  '12': 'The currency is not the one the credential was minted in.',
  '14': 'No such card number.',
  '51': 'Insufficient funds: the test card says so.',
  '54': 'Expired: a wrong expiry date was given, or the credential has lapsed.',
  '57': 'Already used: a credential is approved once.',
  '61': 'The amount is above the minted one.',
  '62': 'Restricted: released, closed by its report, its card deleted, or blocked after too many wrong CVVs.',
  '82': 'Wrong CVV.',
} as const
export type ResponseCode = keyof typeof RESPONSE_CODES

/** Wrong CVVs after which a credential is blocked: three digits may not be guessed through. */
export const CVV_TRIES = 5
