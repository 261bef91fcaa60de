// A receipt says what an owner, or an agent of theirs, did. The operator signs it as a compact JWS (RFC 7515), and
// hands them out in a file. Nothing of a card is in it, and no email address.

export const RECEIPT_TYPE = 'mintmark-receipt+jwt'
export const RECEIPT_VERSION = 1
export const RECEIPT_FILE_FORMAT = 'mintmark-receipts/1'
/** The most receipts of one file. */
export const MAX_RECEIPTS_OF_FILE = 500

/** What a receipt is of. */
export const RECEIPT_ACTS = ['approval', 'denial', 'charge', 'refusal', 'return', 'revocation'] as const

/** What the act was about. */
export const RECEIPT_SUBJECTS = ['agent', 'limits', 'permission', 'purchase', 'escalation', 'charge'] as const

/** How it ended. */
export const RECEIPT_OUTCOMES = [
  'allowed',
  'denied',
  'narrowed',
  'number_made',
  'paid',
  'refused',
  'given_back',
  'paused',
  'ended',
] as const
