import {
  API_KEY_KINDS,
  API_KEY_ROLES,
  ATTEMPT_FAILURES,
  CARD_END_REASONS,
  CARD_STATUSES,
  CART_STATUSES,
  CATALOG_SOURCES,
  CHARGE_STATUSES,
  CONFIRMATIONS,
  CONTACT_ROLES,
  DELIVERY_STATES,
  DISABLED_REASONS,
  ENROLLED_PASSKEYS,
  INCIDENT_REASONS,
  INTEGRATION_TYPES,
  MANDATE_STATUSES,
  MERCHANT_SCOPES,
  MERCHANT_STATUSES,
  RECOVERY_STATES,
  RECURRING_FREQUENCIES,
  REPORTED_OUTCOMES,
  SHOP_ADAPTERS,
  SHOP_STATUSES,
  WALLET_CUSTOMER_STATUSES,
  WALLET_CUSTOMER_TYPES,
} from '@mintmark/contract'
import { AGENT_STATUSES } from '@mintmark/contract/agents'
import { CONSOLE_ACTS, CONSOLE_ROLES } from '@mintmark/contract/console'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { STORED_LINK_STATUSES } from '../agents/states.ts'
import { PURCHASE_STATES } from '../checkout/purchases/states.ts'
import { ENROLLMENT_STATES } from '../enrollment/states.ts'
import { STORED_ESCALATION_STATUSES } from '../escalations/states.ts'
import { PARKED_REASONS } from '../events/number-store.ts'
import { WORK_KINDS } from '../jobs/fragments.ts'
import { KEY_STATES } from '../keys/states.ts'
import { ACCOUNT_KINDS, PURPOSES } from '../ledger/ref.ts'
import { MAIL_KINDS, MAIL_REASONS, MAIL_STATES } from '../mail/states.ts'
import { FACT_KINDS } from '../network/events-port.ts'
import { SETTLEMENT_KINDS } from '../network/simulator/facts-store.ts'
import {
  CREDENTIAL_STATES,
  INSTRUCTION_STATES,
  MINT_STATES,
  STEP_UP_STATES,
  TOKEN_STATES,
} from '../network/simulator/states.ts'
import {
  CARD_STATES as ISSUER_CARD_STATES,
  INSTRUCTION_STATES as ISSUER_INSTRUCTION_STATES,
  TOKEN_STATES as ISSUER_TOKEN_STATES,
} from '../network/stripe/states.ts'
import { STOPPED_BY } from '../owners/recovery-store.ts'
import type { Ceremony } from '../passkeys/challenge-store.ts'
import type { Subject } from '../passkeys/service.ts'
import { ACT_KINDS } from '../receipts/fragments.ts'
import { SUBJECT_KINDS, WORDS } from '../restored/states.ts'
import { PROOFS } from '../sessions/store.ts'

// Guarantee: what a column may hold by its check is the closed set of the program, no more and no less. The same words
// stand in SQL and in TypeScript, and neither is made from the other.

const CEREMONIES: readonly Ceremony[] = ['registration', 'assertion']
const APPROVED: readonly Subject['type'][] = [
  ...(['session', 'agent_link', 'agent_limits', 'escalation', 'card_removal', 'permission', 'owner_device'] as const),
]
/** A visit is not approved, and neither is a recovery. */
const VISITS = ['owner_visit', 'permissions_visit', 'owner_recovery', 'console_visit', 'console_act'] as const
/** Sessions keep theirs in their own row. */
const CHALLENGED = [...APPROVED.filter((type) => type !== 'session'), ...VISITS]

/** The set behind each check of the form "one of these words". */
const SETS: Readonly<Record<string, readonly string[]>> = {
  agent_links_status_check: STORED_LINK_STATUSES,
  agents_status_check: AGENT_STATUSES,
  escalations_status_check: STORED_ESCALATION_STATUSES,
  api_keys_kind_check: API_KEY_KINDS,
  api_keys_role_check: API_KEY_ROLES,
  approvals_subject_type_check: APPROVED,
  receipt_acts_kind_check: ACT_KINDS,
  restored_subjects_kind_check: SUBJECT_KINDS,
  restored_subjects_word_check: WORDS,
  captured_events_parked_check: PARKED_REASONS,
  cards_deletion_reason_check: CARD_END_REASONS,
  cards_ending_reason_check: CARD_END_REASONS,
  cards_status_check: CARD_STATUSES,
  charges_network_confirmation_check: CONFIRMATIONS,
  charges_reported_outcome_check: REPORTED_OUTCOMES,
  charges_status_check: CHARGE_STATUSES,
  console_people_role_check: CONSOLE_ROLES,
  account_members_role_check: CONSOLE_ROLES,
  account_invitations_role_check: CONSOLE_ROLES,
  account_acts_role_check: CONSOLE_ROLES,
  account_acts_kind_check: CONSOLE_ACTS,
  contacts_role_check: CONTACT_ROLES,
  enrollments_ceremony_check: CEREMONIES,
  enrollments_integration_type_check: INTEGRATION_TYPES,
  enrollments_proof_check: PROOFS,
  enrollments_passkey_check: ENROLLED_PASSKEYS,
  enrollments_status_check: ENROLLMENT_STATES,
  instructions_frequency_check: RECURRING_FREQUENCIES,
  instructions_state_check: INSTRUCTION_STATES,
  key_encryption_keys_state_check: KEY_STATES,
  ledger_accounts_kind_check: ACCOUNT_KINDS,
  ledger_transfers_purpose_check: PURPOSES,
  mails_kind_check: MAIL_KINDS,
  mails_reason_check: MAIL_REASONS,
  mails_state_check: MAIL_STATES,
  mandates_frequency_check: RECURRING_FREQUENCIES,
  mandates_merchant_scope_check: MERCHANT_SCOPES,
  mandates_status_check: MANDATE_STATUSES,
  merchants_status_check: MERCHANT_STATUSES,
  mints_confirmed_outcome_check: REPORTED_OUTCOMES,
  mints_credential_state_check: CREDENTIAL_STATES,
  mints_state_check: MINT_STATES,
  network_facts_kind_check: FACT_KINDS,
  open_work_kind_check: WORK_KINDS,
  passkey_challenges_ceremony_check: CEREMONIES,
  issuer_cards_confirmed_outcome_check: REPORTED_OUTCOMES,
  issuer_cards_state_check: ISSUER_CARD_STATES,
  issuer_instructions_frequency_check: RECURRING_FREQUENCIES,
  issuer_instructions_state_check: ISSUER_INSTRUCTION_STATES,
  issuer_tokens_state_check: ISSUER_TOKEN_STATES,
  passkey_challenges_subject_type_check: CHALLENGED,
  owner_recoveries_stopped_by_check: STOPPED_BY,
  purchases_state_check: PURCHASE_STATES,
  settlements_kind_check: SETTLEMENT_KINDS,
  shops_adapter_check: SHOP_ADAPTERS,
  shops_status_check: SHOP_STATUSES,
  step_ups_state_check: STEP_UP_STATES,
  tokens_state_check: TOKEN_STATES,
  // The way by which the number came into the vault; only SQL knows the words.
  vault_records_added_by_check: ['cardholder', 'merchant'],
  wallet_carts_status_check: CART_STATUSES,
  wallet_catalogs_source_check: CATALOG_SOURCES,
  wallet_stores_source_check: CATALOG_SOURCES,
  wallet_customers_status_check: WALLET_CUSTOMER_STATUSES,
  wallet_customers_type_check: WALLET_CUSTOMER_TYPES,
  webhook_attempts_category_check: ATTEMPT_FAILURES,
  webhook_deliveries_state_check: DELIVERY_STATES,
  webhook_endpoints_disabled_reason_check: DISABLED_REASONS,
  webhook_incidents_reason_check: INCIDENT_REASONS,
  webhook_recoveries_state_check: RECOVERY_STATES,
}

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())

test('every check that lists words lists those of its set', async () => {
  const { rows } = await database.pool.query<{ name: string; text: string }>(
    `select conname as name, pg_get_constraintdef(oid) as text from pg_constraint
     where contype = 'c' and connamespace in ('public'::regnamespace, 'simnet'::regnamespace, 'issuing'::regnamespace)`,
  )
  const checked = rows.flatMap(({ name, text }): [string, string[]][] => {
    const words = wordsOf(text)
    return words === null ? [] : [[name, words.sort()]]
  })
  const expected = Object.entries(SETS).map(([name, words]) => [name, [...words].sort()])
  expect(Object.fromEntries(checked)).toEqual(Object.fromEntries(expected))
})

/** The words of `CHECK ((column = ANY ('{a,b}'::text[])))` or of `CHECK ((column = 'a'::text))`; null for others. */
function wordsOf(check: string): string[] | null {
  const list = /^CHECK \(\(\w+ = (?:ANY \('\{([\w,]+)\}'::text\[\]\)|'(\w+)'::text)\)\)$/.exec(check)
  return list && (list[1] ?? list[2] ?? '').split(',')
}

// Each execution of a write reads, plans and compiles all checks of its table from their stored text: a list of words
// is one constant, and not one for each word.
test('no check lists its words one by one', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select conname as name from pg_constraint
     where contype = 'c' and connamespace in ('public'::regnamespace, 'simnet'::regnamespace, 'issuing'::regnamespace)
       and pg_get_constraintdef(oid) ~ 'ARRAY\\['''`,
  )
  expect(rows.map(({ name }) => name)).toEqual([])
})
