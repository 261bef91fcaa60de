import { EVENT_RETENTION_DAYS } from '@mintmark/contract'
import { SETTINGS } from '../../apps/server/src/config.ts'
import { KEYS_KEPT_SECONDS } from '../../apps/server/src/db/command.ts'
import { TABLES } from '../../apps/server/src/db/tables.ts'
import { KEPT_AFTER_END_MILLIS } from '../../apps/server/src/http/rate-limit.ts'
import { KEPT_SECONDS } from '../../apps/server/src/mail/rules.ts'
import { CHALLENGE_TTL_SECONDS } from '../../apps/server/src/passkeys/service.ts'
import { code, type Page, page, table } from './markdown.ts'

const RETENTION = `${code(SETTINGS.retentionDays.variable)} (${SETTINGS.retentionDays.defaultText({ production: true, port: 0 })}) days`
const BOOKS = 'for ever: it is in the books'
const ACCOUNT = 'as long as the account'
const CONFIGURATION = 'for ever: one row, or a few, a deployment'
const NETWORK = 'for ever: the simulated network stands for a real one, which has its own rules'

/** How long the rows of each table are kept. A test compares the names with the tables there are. */
export const KEPT: Readonly<Record<string, string>> = {
  merchants: ACCOUNT,
  api_keys: `${ACCOUNT}; revoked ones too, so that what they did can be told`,
  session_allowances: ACCOUNT,
  customers: `${ACCOUNT}; who it is, until \`customer erase\``,
  vault_records: 'until no card needs the number: an entry that nothing came of loses it when its session ends',
  cards: `${BOOKS}, without the number`,
  sessions: `${RETENTION} after their payment or mandate has ended; those that enrolled a card, at least as long as it is active`,
  approvals: 'as long as their session',
  enrollments: 'as long as their session',
  bin_ranges: 'until another table is imported',
  bin_table: CONFIGURATION,
  mandates: BOOKS,
  charges: `${BOOKS}; the credential until it is reported or its time is over`,
  purchases: 'as long as the session that they were approved in; the payment itself is a charge',
  open_work: 'until it is done',
  agents: `${ACCOUNT}; revoked ones too, because they have signed; what they call themselves, until their owner is erased`,
  agent_keys: `${ACCOUNT}; changed ones too, because a key is linked once`,
  agent_links: 'a day after their end; approved ones as long as their agent, or until its owner is erased',
  owners: 'until the customer that they are is erased',
  owner_addresses: 'until its owner wants no mails, or is erased',
  mail_turns: 'a minute, and until somebody asks for the next code',
  owner_sessions: 'until they are signed out, or twelve hours',
  escalations: `${ACCOUNT}; what an owner has said is not asked again`,
  agent_limit_changes: `${ACCOUNT}; they say what held when`,
  agent_spending: `${ACCOUNT}; a row an agent`,
  agent_nonces: 'until no request could be sent again: 15 minutes at most, while a worker runs',
  oauth_entries:
    'each for its time: a code a minute, an access token 10 minutes, a refresh token 30 days, a client 400 days after it was last let in',
  passkeys: `${ACCOUNT}; replaced ones too, because they signed`,
  passkey_releases: ACCOUNT,
  passkey_challenges: `${CHALLENGE_TTL_SECONDS / 60} minutes`,
  captured_events: 'some milliseconds, until they are numbered; parked ones 30 days',
  events: `${EVENT_RETENTION_DAYS} days; their bytes up to two weeks longer, for deliveries on their way and because they are dropped by the week`,
  event_heads: ACCOUNT,
  feed_epoch: CONFIGURATION,
  restored: CONFIGURATION,
  restored_subjects: 'until the next restore; there is none before the first',
  webhook_endpoints: `${ACCOUNT}; deleted ones too, because deliveries name them`,
  webhook_applications: ACCOUNT,
  webhook_deliveries: '31 days and up to a week longer, because they are dropped by the week; they are shown for 30',
  webhook_attempts: 'as long as their delivery',
  webhook_recoveries: `${ACCOUNT}: a line each`,
  webhook_incidents: `${ACCOUNT}: a few lines a year`,
  ledger_accounts: BOOKS,
  ledger_transfers: BOOKS,
  ledger_entries: BOOKS,
  wallet_catalogs: `${ACCOUNT}: a line each`,
  wallet_stores: ACCOUNT,
  wallet_store_categories: 'while the store sells something of them',
  wallet_products: `${ACCOUNT}; withdrawn ones too, because carts name them`,
  wallet_stock: 'while the product is sold',
  wallet_carts: `${BOOKS} when it was ordered; ${RETENTION} after it was abandoned`,
  wallet_cart_lines: 'as long as their cart',
  wallet_orders: BOOKS,
  shops: 'for ever; disabled ones too, because purchases name them',
  quotes: 'as long as the session that was built from it; without one, a day after it expired',
  wallet_customers: `${ACCOUNT}; who it is, until \`customer erase\``,
  wallet_addresses: `${ACCOUNT}, because orders name them; what is in them, until \`customer erase\``,
  idempotency_keys: `${KEYS_KEPT_SECONDS / 3600} hours, with the response to the request, sealed, where that is stored`,
  contacts: `${ACCOUNT}, or until they are removed`,
  mails: `${KEPT_SECONDS / 86_400} days after they were queued, without address and text`,
  schema_migrations: CONFIGURATION,
  rate_limits: `${KEPT_AFTER_END_MILLIS / 3_600_000} hour after the window has ended`,
  root_key_check: CONFIGURATION,
  sandbox_clock: CONFIGURATION,
  key_encryption_keys: 'until they are retired',
  key_nodes: 'while their process runs',
  'simnet.tokens': NETWORK,
  'simnet.step_ups': NETWORK,
  'simnet.instructions': NETWORK,
  'simnet.windows': NETWORK,
  'simnet.mints': NETWORK,
  'simnet.authorizations': NETWORK,
  'simnet.scripted_failures': NETWORK,
}

/** docs/reference/retention.md: what is kept, and how long. */
export function retentionPage(): Page {
  return page('docs/reference/retention.md', 'apps/server/src/config.ts and scripts/docs/retention-page.ts', [
    '# What is kept, and how long',
    INTRODUCTION,
    table(
      ['Table', 'Its rows are kept'],
      Object.keys(TABLES).map((name) => [code(name), KEPT[name] ?? '']),
    ),
  ])
}

const INTRODUCTION = `What is past its time is deleted in the background, a page of rows at a time, by any number of workers. The cost of a page
does not depend on how much was kept. All times are those of the service's clock: in the sandbox the test clock moves them.
What of it is about people, and how it is erased: [personal data](../guides/personal-data.md).`
