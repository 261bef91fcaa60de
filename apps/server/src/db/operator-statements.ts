/** The question which merchants have something due. Taking it stays inside one merchant. */
const overdue = (feature: string, reason: string): Record<string, string> => ({
  [`${feature}.find_due`]: `${reason} Reads without locks who has due rows, of all merchants.`,
  [`${feature}.find_due_in_turn`]: `${reason} In a backlog: the merchants whose turn is next.`,
})

/** The same of open work, which may be held. */
const dueWork = (feature: string, reason: string): Record<string, string> => ({
  ...overdue(feature, reason),
  [`${feature}.find_held`]: `${reason} At the start of an embedded database: what the process before it left held.`,
})

/** The question who has rows of a table. */
const rowsOf = (...tables: string[]): Record<string, string> =>
  Object.fromEntries(
    tables.map((table) => [`rows.find_next_merchant_of_${table}`, 'Operator: whose rows are looked at next.']),
  )

/**
 * The statements that may touch tenant tables without naming `merchant_id`, each with the reason. They read and lock
 * nothing. Everything else works inside one merchant; tests compare (`statements.test.ts`, `distribution.test.ts`).
 */
export const OPERATOR_STATEMENTS: Readonly<Record<string, string>> = Object.freeze({
  ...overdue('cards', 'Cards left half entered.'),
  ...overdue('carts', 'Carts that nothing was changed in for a long time.'),
  ...dueWork('deletions', 'Cards whose deletion was begun, or that are not kept.'),
  ...dueWork('tokens', 'Cards that ended without having been accepted, of which the network may have made a token.'),
  ...dueWork('charges', 'Open network calls, and approvals that lapse.'),
  ...dueWork('enrollment', 'Cards whose provisioning the network has not answered yet.'),
  ...dueWork('mail', 'The outbox.'),
  ...dueWork('mandates', 'Cancellations the network has still to hear of, and standing mandates whose time is over.'),
  ...dueWork('purchases', 'Purchases at shops that are not at their end.'),
  ...overdue('recoveries', 'Endpoints that are caught up, a page at a time.'),
  ...overdue('sessions', 'Sessions not used in time.'),
  ...dueWork('webhooks', 'Endpoints that have something queued.'),
  'charges.count_credentials_under_key': 'Operator: how much a key still wraps.',
  'charges.list_credentials_under_key': 'Operator: what a key still wraps is wrapped anew before the key is retired.',
  'purchases.count_credentials_under_key': 'Operator: how much a key still wraps.',
  'purchases.list_credentials_under_key': 'Operator: what a key still wraps is wrapped anew before the key is retired.',
  'purchases.list_unresolved': 'Operator: purchases that need a person, of all merchants.',
  'vault.count_numbers_under_key': 'Operator: how much a key still wraps.',
  'vault.list_numbers_under_key': 'Operator: what a key still wraps is wrapped anew before the key is retired.',
  'mail.find_merchant_with_old': 'Sweeper: who has mails to delete, merchant by merchant.',
  ...overdue('rotations', 'Secrets that have been rotated away for a day.'),
  'webhooks.count_secrets_under_key': 'Operator: how much a key still wraps.',
  'webhooks.list_secrets_under_key': 'Operator: what a key still wraps is wrapped anew before the key is retired.',
  'webhooks.count_former_under_key': 'Operator: how much a key still wraps.',
  'webhooks.list_former_under_key': 'Operator: what a key still wraps is wrapped anew before the key is retired.',
  'mandates.find_anywhere': 'Says that a mandate exists and is another’s, where the contract tells so (403, not 404).',
  'stores.list_merchants_with': 'Sandbox: which accounts have the catalog of the shop already.',
  'idempotency.list_merchants_with_old': 'Sweeper: who has keys to delete, merchant by merchant.',
  'events.find_waiting': 'The sequencer: reads without locks who has events without a number, of all merchants.',
  'events.list_parked': 'Operator: events that were not numbered, of all merchants.',
  'events.find_merchant_with_old_parked': 'Sweeper: who has parked events to delete, merchant by merchant.',
  'metrics.list_due_work': 'Operator: how much work is due and since when, of all merchants, up to a bound.',
  'metrics.find_waiting_mails': 'Operator: how much waits in the outbox and since when, up to a bound.',
  'metrics.find_queued_deliveries': 'Operator: the longest queue of an account, up to a bound.',
  'metrics.find_unnumbered': 'Operator: how far the sequencer is behind, up to a bound.',
  'metrics.count_parked': 'Operator: how many events are parked, up to a bound.',
  'metrics.count_unresolved': 'Operator: how many purchases need a person, up to a bound.',
  'metrics.count_open_incidents': 'Operator: how many incidents are open, up to a bound.',
  ...rowsOf('sessions', 'charges', 'mandates', 'cards', 'passkeys', 'approvals', 'captured_events', 'open_work'),
  ...rowsOf('passkey_challenges', 'vault_records'),
  'ledger.find_next_merchant': 'Operator: whose books are verified next.',
  'restored.list_unheard': 'After a restore: what the network has still to be asked about, of all merchants.',
  'restored.count_subjects': 'Operator, after a restore: what the network said, of all merchants.',
  'restored.list_by_word': 'Operator, after a restore: what ended at the network, of all merchants.',
  'merchants.list': 'Operator: all accounts with their allowances.',
  'carts.find_merchant_with_old': 'Sweeper: who has abandoned carts to delete, merchant by merchant.',
  'quotes.find_merchant_with_old': 'Sweeper: who has unused quotes to delete, merchant by merchant.',
  'sessions.find_merchant_with_old': 'Sweeper: who has sessions to delete, merchant by merchant.',
  'passkeys.list_merchants_with_expired_challenges': 'Sweeper: who has challenges to delete, merchant by merchant.',
})

/** The statements whose plan may scan a whole tenant table, each with the reason. */
export const SCANNING_STATEMENTS: Readonly<Record<string, string>> = Object.freeze({
  ...rowsOf('sessions', 'charges', 'mandates', 'cards', 'passkeys', 'approvals', 'captured_events', 'open_work'),
  ...rowsOf('passkey_challenges', 'vault_records'),
  'ledger.find_next_merchant': 'Operator: reads one row of an index, the first behind a merchant.',
  'restored.count_subjects': 'Operator, after a restore: all that was open is counted.',
  'restored.list_by_word': 'Operator, after a restore: what has ended is found among all that was open.',
  'merchants.list': 'Operator: all accounts are listed, so all allowances are read.',
})
