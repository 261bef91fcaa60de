/**
 * Where the rows of a table live once the database is distributed by merchant:
 * - tenant: with their merchant; `merchant_id` leads every key, and every statement names one merchant;
 * - reference: copied to every node; read everywhere, and written rarely, because a write goes to all copies;
 * - local: on the first node only; never in one statement or transaction with a tenant table.
 */
export type Place = 'tenant' | 'reference' | 'local'

interface TableInfo {
  place: Place
  reason: string
}

const tenant = (reason: string): TableInfo => ({ place: 'tenant', reason })
const reference = (reason: string): TableInfo => ({ place: 'reference', reason })
const local = (reason: string): TableInfo => ({ place: 'local', reason })

const SIMULATOR = 'The simulated card network stands for a system of another company and knows no merchant_id.'

/** Every table. Those of schema `public` without its name. A test compares with the migrations. */
export const TABLES: Readonly<Record<string, TableInfo>> = Object.freeze({
  merchants: reference('Its own id is the merchant_id of all other tables; read with every request.'),
  key_encryption_keys: reference('Named by every sealed number and changed by an operator, a few times a year.'),
  api_keys: reference('Looked up by key id before it is known which merchant calls.'),
  session_allowances: tenant('Changes with every session, so it must not be copied to every node.'),
  bin_ranges: reference('About cards of all merchants; read with a card that a merchant has rules for.'),
  bin_table: reference('Which edition of the ranges is in use; read with them.'),
  customers: tenant('A person as one merchant knows them.'),
  vault_records: tenant('A card number that one merchant may use.'),
  cards: tenant('Enrolled by a customer of the merchant.'),
  sessions: tenant('A grant to a customer of the merchant.'),
  enrollments: tenant('Of a card, by a customer of the merchant.'),
  mandates: tenant('A permission to charge, given to the merchant.'),
  charges: tenant('Paid to the merchant.'),
  purchases: tenant('Made for a customer of the merchant.'),
  open_work: tenant(
    'What there is to do for the merchant: on a purchase, mandate, card, endpoint or mail. Charges have theirs in their rows.',
  ),
  agent_links: tenant('Asked of an owner, who is a customer of the operator’s own account.'),
  agents: tenant('Of an owner, who is a customer of the operator’s own account.'),
  agent_keys: tenant('Of an agent of an owner.'),
  escalations: tenant('Asked of an owner by an agent.'),
  owners: tenant('Of an owner, who is a customer of the operator’s own account.'),
  owner_addresses: tenant('Where an owner is told of what agents ask.'),
  mail_turns: tenant('Of codes mailed to owners, who are customers of the operator’s own account.'),
  owner_sessions: tenant('Of an owner who is signed in.'),
  agent_limit_changes: tenant('Of an agent of an owner.'),
  agent_spending: tenant('Of an agent of an owner.'),
  agent_nonces: tenant('Of requests of an owner’s agents.'),
  oauth_entries: tenant('Of clients and agents of owners, who are customers of the operator’s own account.'),
  passkeys: tenant('Registered by a customer of the merchant.'),
  passkey_releases: tenant('Given to a customer of the merchant.'),
  passkey_challenges: tenant('Part of a ceremony of the merchant’s customer.'),
  approvals: tenant('Evidence of what a customer of the merchant approved.'),
  captured_events: tenant('Captured with a change of the merchant, and not yet numbered.'),
  events: tenant('Numbered and read merchant by merchant.'),
  event_heads: tenant('Where the feed of the merchant ends.'),
  feed_epoch: reference('One epoch for the whole deployment, changed by a restore; read with every page of a feed.'),
  restored: reference('One row for the whole deployment, changed by a restore and by the operator who opens it again.'),
  restored_subjects: tenant('A payment, mandate or card of the merchant that a restore has brought back.'),
  webhook_endpoints: tenant('Where the merchant wants its events.'),
  webhook_applications: tenant('How fast the merchant is sent to; changes with every delivery.'),
  webhook_deliveries: tenant('Of an event of the merchant.'),
  webhook_attempts: tenant('Of a delivery to the merchant.'),
  webhook_recoveries: tenant('Of an endpoint of the merchant.'),
  webhook_incidents: tenant('Of an endpoint of the merchant.'),
  shops: reference('The operator’s: all merchants buy at them; changed by hand, and read with every search and quote.'),
  quotes: tenant('Asked for by the merchant.'),
  contacts: tenant('Whom the service writes to about the merchant.'),
  mails: tenant('To a contact of the merchant.'),
  ledger_accounts: tenant('Money of the merchant’s wallet customers and shops.'),
  ledger_transfers: tenant('Between accounts of one merchant.'),
  ledger_entries: tenant('Of a transfer between accounts of one merchant.'),
  wallet_catalogs: tenant('Imported by the merchant’s operator.'),
  wallet_stores: tenant('Where the merchant’s customers buy.'),
  wallet_store_categories: tenant('Of a store of the merchant.'),
  wallet_products: tenant('Sold by a store of the merchant.'),
  wallet_stock: tenant('Changes with every order, so it must not be copied to every node.'),
  wallet_carts: tenant('Of a customer of the merchant.'),
  wallet_cart_lines: tenant('In a cart of a customer of the merchant.'),
  wallet_orders: tenant('Of a customer of the merchant.'),
  wallet_customers: tenant('Of the merchant, who buy from wallets.'),
  wallet_addresses: tenant('Of a customer of the merchant.'),
  idempotency_keys: tenant('Chosen by the merchant.'),
  schema_migrations: local('About the schema, not about a merchant.'),
  rate_limits: local('Counts callers, also those not yet known as a merchant.'),
  root_key_check: local('One root key for the whole deployment.'),
  key_nodes: local('The processes of the deployment, each heard of every few seconds.'),
  sandbox_clock: local('One clock for the whole environment.'),
  'simnet.tokens': local(SIMULATOR),
  'simnet.step_ups': local(SIMULATOR),
  'simnet.instructions': local(SIMULATOR),
  'simnet.windows': local(SIMULATOR),
  'simnet.mints': local(SIMULATOR),
  'simnet.authorizations': local(SIMULATOR),
  'simnet.scripted_failures': local(SIMULATOR),
})

/** The tables of schema `public` whose keys `merchant_id` does not lead, each with the reason. */
export const OPERATOR_TABLES: Readonly<Record<string, string>> = Object.freeze(
  Object.fromEntries(
    Object.entries(TABLES)
      .filter(([name, { place }]) => place !== 'tenant' && !name.includes('.'))
      .map(([name, { reason }]) => [name, reason]),
  ),
)
