import { beforeAll, describe, expect, test } from 'vitest'
import { AGENT_LINK_TRANSITIONS, AGENT_TRANSITIONS } from '../agents/states.ts'
import { CARD_TRANSITIONS } from '../cards/states.ts'
import { CHARGE_TRANSITIONS } from '../charges/states.ts'
import { PURCHASE_TRANSITIONS } from '../checkout/purchases/states.ts'
import { ENROLLMENT_TRANSITIONS } from '../enrollment/states.ts'
import { ESCALATION_TRANSITIONS } from '../escalations/states.ts'
import { KEY_TRANSITIONS } from '../keys/states.ts'
import { MAIL_TRANSITIONS } from '../mail/states.ts'
import { MANDATE_TRANSITIONS } from '../mandates/states.ts'
import {
  CREDENTIAL_TRANSITIONS,
  INSTRUCTION_TRANSITIONS,
  MINT_TRANSITIONS,
  STEP_UP_TRANSITIONS,
  TOKEN_TRANSITIONS,
} from '../network/simulator/states.ts'
import {
  CARD_TRANSITIONS as ISSUER_CARDS,
  INSTRUCTION_TRANSITIONS as ISSUER_INSTRUCTIONS,
  TOKEN_TRANSITIONS as ISSUER_TOKENS,
} from '../network/stripe/states.ts'
import { originsOf, type Transitions } from '../platform/states.ts'
import { CART_TRANSITIONS } from '../wallets/carts/states.ts'
import { WALLET_CUSTOMER_TRANSITIONS } from '../wallets/customers/states.ts'
import { DELIVERY_TRANSITIONS, RECOVERY_TRANSITIONS } from '../webhooks/delivery/states.ts'
import { STATEMENTS } from './statement.ts'
import { loadStatements } from './testing/load-statements.ts'

// Guarantee: a state moves only along its table. The predicate of every UPDATE that enters a state names origins that
// the table has, in every form it was written.

const TABLES: Record<string, Transitions<string>> = {
  'agent_links.status': AGENT_LINK_TRANSITIONS,
  'agents.status': AGENT_TRANSITIONS,
  'escalations.status': ESCALATION_TRANSITIONS,
  'cards.status': CARD_TRANSITIONS,
  'charges.status': CHARGE_TRANSITIONS,
  // The mandate of a purchase.
  'charges.mandate_status': MANDATE_TRANSITIONS,
  'enrollments.status': ENROLLMENT_TRANSITIONS,
  'key_encryption_keys.state': KEY_TRANSITIONS,
  'mails.state': MAIL_TRANSITIONS,
  'mandates.status': MANDATE_TRANSITIONS,
  'wallet_carts.status': CART_TRANSITIONS,
  'wallet_customers.status': WALLET_CUSTOMER_TRANSITIONS,
  'purchases.state': PURCHASE_TRANSITIONS,
  'webhook_deliveries.state': DELIVERY_TRANSITIONS,
  'webhook_recoveries.state': RECOVERY_TRANSITIONS,
  'issuing.issuer_tokens.state': ISSUER_TOKENS,
  'issuing.issuer_instructions.state': ISSUER_INSTRUCTIONS,
  'issuing.issuer_cards.state': ISSUER_CARDS,
  'simnet.tokens.state': TOKEN_TRANSITIONS,
  'simnet.step_ups.state': STEP_UP_TRANSITIONS,
  'simnet.instructions.state': INSTRUCTION_TRANSITIONS,
  'simnet.mints.state': MINT_TRANSITIONS,
  'simnet.mints.credential_state': CREDENTIAL_TRANSITIONS,
}
/** `update <table> … set` or `insert into <table> … do update set`, up to the next one. */
const CHANGE =
  /(?:update\s+(?!set\b)|insert\s+into\s+)([\w.]+)((?:(?!\bupdate\s+(?!set\b)|\binsert\s+into\b)[\s\S])*)/gi
/** `status = 'failed'` as an assignment, also by `case … then 'failed'`. */
const ENTERS =
  /(?:\bset|,)\s*(status|state|credential_state|mandate_status)\s*=\s*(?:case\b[^']*?(?:'\w+'[^']*?)*?\bthen\s*)?'(\w+)'/gi

/** What is wrong with the transitions of a text. */
function problemsOf(sql: string): string[] {
  return [...sql.matchAll(CHANGE)].flatMap(([, table = '', change = '']) =>
    [...change.matchAll(ENTERS)].flatMap(([, column = '', target = '']) => {
      const transitions = TABLES[`${table}.${column}`]
      if (transitions === undefined) return [`${table}.${column} has no table of transitions`]
      const origins = originsOf(transitions, target)
      // Where a life begins there is no row to compare with, or none of that column yet.
      if (target in transitions && origins.length === 0) return []
      const named = new RegExp(`\\b${column}\\s+in\\s+\\(([^)]*)\\)`, 'i').exec(change)?.[1]
      if (named === undefined) return [`${table}.${column} becomes ${target} from any state`]
      const strange = [...named.matchAll(/'(\w+)'/g)]
        .map(([, from = '']) => from)
        .filter((from) => !origins.includes(from))
      return strange.map((from) => `${table}.${column} has no move from ${from} to ${target}`)
    }),
  )
}

describe('the statements', () => {
  beforeAll(loadStatements)

  test('enter a state from origins that its table has', () => {
    const problems = [...STATEMENTS.values()].flatMap(({ name, text }) =>
      problemsOf(text).map((problem) => `${name}: ${problem}`),
    )
    expect(problems).toEqual([])
  })

  test('are seen: these enter a state by its name', () => {
    const entered = new Set<string>()
    for (const { text } of STATEMENTS.values()) {
      for (const [, table = '', change = ''] of text.matchAll(CHANGE)) {
        for (const [, column = '', target = ''] of change.matchAll(ENTERS)) entered.add(`${table}.${column} ${target}`)
      }
    }
    expect([...entered].sort()).toMatchInlineSnapshot(`
      [
        "agent_links.status approved",
        "agent_links.status denied",
        "agents.status revoked",
        "cards.status active",
        "cards.status deleted",
        "cards.status provisioning",
        "charges.mandate_status active",
        "charges.mandate_status cancelled",
        "charges.mandate_status consumed",
        "charges.mandate_status expired",
        "charges.mandate_status paused",
        "charges.mandate_status pending",
        "charges.status awaiting_result",
        "charges.status completed",
        "charges.status failed",
        "charges.status minting",
        "enrollments.status cancelled",
        "enrollments.status completed",
        "enrollments.status expired",
        "enrollments.status failed",
        "escalations.status allowed",
        "escalations.status denied",
        "escalations.status used",
        "issuing.issuer_cards.state declined",
        "issuing.issuer_cards.state minted",
        "issuing.issuer_cards.state returned",
        "issuing.issuer_instructions.state cancelled",
        "issuing.issuer_tokens.state active",
        "issuing.issuer_tokens.state deleted",
        "key_encryption_keys.state current",
        "key_encryption_keys.state former",
        "mandates.status active",
        "mandates.status cancelled",
        "mandates.status consumed",
        "mandates.status expired",
        "mandates.status paused",
        "purchases.state failed",
        "purchases.state needs_human",
        "purchases.state paid",
        "purchases.state paying",
        "purchases.state prepare_failed",
        "purchases.state prepared",
        "purchases.state quote_ready",
        "simnet.instructions.state cancelled",
        "simnet.mints.credential_state blocked",
        "simnet.mints.credential_state closed",
        "simnet.mints.credential_state open",
        "simnet.mints.credential_state used",
        "simnet.mints.state declined",
        "simnet.mints.state minted",
        "simnet.mints.state released",
        "simnet.step_ups.state exhausted",
        "simnet.step_ups.state passed",
        "simnet.tokens.state active",
        "simnet.tokens.state deleted",
        "simnet.tokens.state step_up_exhausted",
        "wallet_carts.status abandoned",
        "wallet_carts.status ordered",
        "wallet_customers.status rejected",
        "wallet_customers.status verified",
        "webhook_deliveries.state cancelled",
        "webhook_deliveries.state failed",
      ]
    `)
  })
})

test.each([
  [`update cards set status = 'active' where id = $1 and status in ('provisioning')`, []],
  [`update cards set updated_at = $2, status = 'active' where id = $1`, ['cards.status becomes active from any state']],
  [
    `update cards set status = 'active' where status in ('provisioning', 'deleted')`,
    ['cards.status has no move from deleted to active'],
  ],
  [
    `with gone as (update charges set status = 'failed' where status in ('completed') returning id)
     update cards set status = 'deleted' from gone where cards.status in ('provisioning')`,
    ['charges.status has no move from completed to failed'],
  ],
  [
    `update simnet.tokens set state = case when tries > 2 then 'step_up_exhausted' else state end where state in ('active')`,
    ['simnet.tokens.state has no move from active to step_up_exhausted'],
  ],
  [
    `insert into simnet.instructions (state) values ('cancelled') on conflict (id) do update set state = 'cancelled'`,
    ['simnet.instructions.state becomes cancelled from any state'],
  ],
  [
    `update charges set status = 'completed', mandate_status = case when mandate_status in ('active') then 'consumed' else mandate_status end
     where status in ('awaiting_result')`,
    [],
  ],
  [
    `update charges set mandate_status = case when mandate_status in ('cancelled') then 'active' else mandate_status end`,
    ['charges.mandate_status has no move from cancelled to active'],
  ],
  [`update console_people set status = 'failed'`, ['console_people.status has no table of transitions']],
  [`update cards set status = 'lost'`, ['cards.status becomes lost from any state']],
])('%s', (sql, problems) => {
  expect(problemsOf(sql)).toEqual(problems)
})
