/**
 * The statements that may touch tenant tables without naming `merchant_id`, each with the reason. Everything else works
 * inside one merchant; a test compares (`statements.test.ts`).
 */
export const OPERATOR_STATEMENTS: Readonly<Record<string, string>> = Object.freeze({
  'cards.lock_abandoned': 'Sweeper: the oldest cards anybody left half entered.',
  'charges.claim_open': 'Reconciler: the open network calls that are due, whoever the merchant is.',
  'mandates.claim_cancellations': 'Reconciler: the cancellations the network has still to hear of.',
  'passkeys.delete_expired_challenges': 'Sweeper: challenges nobody answered in time, of whatever merchant.',
  'sessions.lock_expired': 'Sweeper: the oldest sessions nobody approved in time.',
  'sessions.lock_lapsed': 'Sweeper: the oldest approvals that lapsed before a report.',
})

/** The statements whose plan may scan a whole tenant table, each with the reason. */
export const SCANNING_STATEMENTS: Readonly<Record<string, string>> = Object.freeze({})
