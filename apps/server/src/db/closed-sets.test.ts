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
  SESSION_KINDS,
  SHOP_ADAPTERS,
  SHOP_STATUSES,
  WALLET_CUSTOMER_STATUSES,
  WALLET_CUSTOMER_TYPES,
} from '@mintmark/contract'
import { AGENT_STATUSES } from '@mintmark/contract/agents'
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
import {
  CREDENTIAL_STATES,
  INSTRUCTION_STATES,
  MINT_STATES,
  STEP_UP_STATES,
  TOKEN_STATES,
} from '../network/simulator/states.ts'
import type { Ceremony } from '../passkeys/challenge-store.ts'
import type { Subject } from '../passkeys/service.ts'
import { SUBJECT_KINDS, WORDS } from '../restored/states.ts'
import { RULES } from '../rows/rules.ts'
import { PROOFS } from '../sessions/store.ts'

// Guarantee: what a column may hold by its check, or by the rule that `rows verify` asks for, is the closed set of the program, no more and
// no less. The same words stand in SQL and in TypeScript, and neither is made from the other.

const CEREMONIES: readonly Ceremony[] = ['registration', 'assertion']
const SUBJECTS: readonly Subject['type'][] = ['session', 'agent_link', 'agent_limits', 'escalation', 'owner_visit']
/** A visit is not approved. */
const APPROVED = SUBJECTS.filter((type) => type !== 'owner_visit')

/** The set behind each check of the form "one of these words". */
const SETS: Readonly<Record<string, readonly string[]>> = {
  agent_links_status_check: STORED_LINK_STATUSES,
  agents_status_check: AGENT_STATUSES,
  escalations_status_check: STORED_ESCALATION_STATUSES,
  api_keys_kind_check: API_KEY_KINDS,
  api_keys_role_check: API_KEY_ROLES,
  approvals_subject_type_check: APPROVED,
  restored_subjects_kind_check: SUBJECT_KINDS,
  restored_subjects_word_check: WORDS,
  captured_events_parked_check: PARKED_REASONS,
  cards_deletion_reason_check: CARD_END_REASONS,
  cards_ending_reason_check: CARD_END_REASONS,
  cards_status_check: CARD_STATUSES,
  charges_network_confirmation_check: CONFIRMATIONS,
  charges_reported_outcome_check: REPORTED_OUTCOMES,
  charges_status_check: CHARGE_STATUSES,
  contacts_role_check: CONTACT_ROLES,
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
  open_work_kind_check: WORK_KINDS,
  passkey_challenges_ceremony_check: CEREMONIES,
  passkey_challenges_subject_type_check: SUBJECTS,
  purchases_state_check: PURCHASE_STATES,
  sessions_integration_type_check: INTEGRATION_TYPES,
  sessions_kind_check: SESSION_KINDS,
  sessions_proof_check: PROOFS,
  shops_adapter_check: SHOP_ADAPTERS,
  shops_status_check: SHOP_STATUSES,
  step_ups_state_check: STEP_UP_STATES,
  tokens_state_check: TOKEN_STATES,
  // Which party put the number in the vault; only SQL knows the words.
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
     where contype = 'c' and connamespace in ('public'::regnamespace, 'simnet'::regnamespace)`,
  )
  const asked = Object.entries(RULES).flatMap(([table, { holds }]) =>
    Object.entries(holds).map(([name, rule]) => ({ name: `${table}_${name}_check`, text: `CHECK ((${rule}))` })),
  )
  const checked = [...rows, ...asked].flatMap(({ name, text }): [string, string[]][] => {
    const words = wordsOf(text)
    return words === null ? [] : [[name, words.sort()]]
  })
  const expected = Object.entries(SETS).map(([name, words]) => [name, [...words].sort()])
  expect(Object.fromEntries(checked)).toEqual(Object.fromEntries(expected))
})

/** The words of `CHECK ((column = ANY ('{a,b}'::text[])))` or of `CHECK ((column = 'a'::text))`; null for others. A rule casts nothing. */
function wordsOf(check: string): string[] | null {
  const list = /^CHECK \(\(\w+ = (?:ANY \('\{([\w,]+)\}'(?:::text\[\])?\)|'(\w+)'::text)\)\)$/i.exec(check)
  return list && (list[1] ?? list[2] ?? '').split(',')
}

// Each execution of a write reads, plans and compiles all checks of its table from their stored text: a list of words is one
// constant, and not one for each word.
test('no check lists its words one by one', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select conname as name from pg_constraint
     where contype = 'c' and connamespace in ('public'::regnamespace, 'simnet'::regnamespace)
       and pg_get_constraintdef(oid) ~ 'ARRAY\\['''`,
  )
  expect(rows.map(({ name }) => name)).toEqual([])
})
