import { beforeAll, describe, expect, test } from 'vitest'
import { MIGRATIONS_DIRECTORY, readMigrations } from './migration-files.ts'
import { OPERATOR_STATEMENTS } from './operator-statements.ts'
import { STATEMENTS } from './statement.ts'
import { TABLES } from './tables.ts'
import {
  actsOverMerchants,
  computesTimes,
  countsInsertedRows,
  type Finding,
  findInMigration,
  findInStatements,
  foldsOverMerchants,
  immediateKeys,
  insertsChildFirst,
  insertsInWith,
  leavesMerchant,
  type Rule,
  selectsNothing,
  tablesLeft,
  usesUnknownTable,
} from './testing/distribution.ts'
import { loadStatements } from './testing/load-statements.ts'
import { readBlocks } from './testing/sql.ts'

// Guarantee: the program can run on a PostgreSQL distributed by merchant_id without a change of code (the rules
// of `faults.md`, by their numbers). The texts of all statements and migrations are read; no such server is needed.

/** Rule 4: where one round trip less on a busy path is worth an INSERT that such a server does not route by itself. */
const INSERTS_IN_WITH: Readonly<Record<string, string>> = {
  'agents.insert_link': 'The nonce of a request is spent with what it asks for.',
  'agents.store_first_passkey': 'As every passkey: stored if nothing stands in the way.',
  'agents.narrow_limits': 'The limits, and what they were, in one round trip.',
  'agents.approve_limits': 'As an approval of a link: counter, evidence and the limits in one round trip.',
  'agents.approve_link': 'As a payment: counter, evidence, agent and key in one round trip.',
  'agents.join': 'The same of an agent that they have.',
  'sessions.insert_agent_payment': 'As a payment: session and charge in one round trip.',
  'sessions.insert_quoted_agent_payment': 'As a payment: session and charge in one round trip.',
  'sessions.insert_agent_setup': 'The same with a mandate.',
  'charges.insert_refused_asking': 'The refused charge, the question to the owner and the event in one.',
  'escalations.allow': 'As an approval of a link: counter, evidence and the word in one round trip.',
  'mail.ask_for_code': 'The address, its code and the mail with it: none is there without the others.',
  'mail.insert_asked': 'The mail and the work on it, behind the statement of the question.',
  'owners.insert': 'A person, their passkey and their session: all or nothing.',
  'owners.begin_session': 'The counter of the passkey moves with the session that it begins.',
  'agents.authenticate': 'Every request of an agent: its key, its standing and its nonce in one round trip.',
  'agents.spend_nonce': 'The same of a request by a key that is not linked yet.',
  'agents.change_key': 'The new key is made and the old one ended in one.',
  'charges.insert_over_limit': 'A charge that its mandate does not allow: with its event in one round trip.',
  'charges.update_last_paid': 'The last payment of a mandate: its event and that of the mandate in one round trip.',
  'charges.update_failed': 'The end of a payment: the cancellation is opened with the event in one round trip.',
  'enrollment.insert_card': 'As a card that is entered: the card and its vault record in one round trip.',
  'enrollment.revive_card': 'As a card that is entered again: the card and its vault record in one round trip.',
  'enrollment.insert_customer': 'As the customer of a session: found or made in one round trip.',
  'events.insert_numbered':
    'The sequencer: events get their numbers and the head moves in one round trip, under its lock.',
  'ledger.insert_transfer':
    'Every deposit and order: transfer, both balances and both entries in one round trip, under two locks.',
  'mandates.update_cancelled_by_owner': 'One move of many callers: the cancellation is opened with the event.',
  'sessions.insert_entered_card':
    'The busiest step of a cardholder: a card and its vault record in one round trip instead of five.',
  'sessions.revive_entered_card': 'As one that is new: a card and its vault record in one round trip.',
  'sessions.insert_plain_payment': 'The busiest write, in its common case.',
  'sessions.insert_quoted_payment': 'The claim of the quote and what is made of it are one; the busiest write, too.',
  'sessions.insert_payment': 'The busiest write: customer, session and charge in one round trip instead of four.',
  'sessions.insert_setup': 'As a payment: customer, session and mandate in one round trip.',
  'sessions.approve_setup': 'As a payment: closing, mandate and its work in one statement.',
  'mandates.update_setup_cancelled': 'The cancellation is opened with the end of the setup.',
  'sessions.approve_payment':
    'Every payment: closing, charge, mandate and work in one statement, which is cheaper than four.',
  'sessions.approve_quoted_payment': 'As above; the purchase with it.',
  'purchases.update_prepare_failed':
    'The end of a purchase: the cancellation is opened with the event in one round trip.',
  'purchases.update_unpaid': 'As a purchase that was not prepared.',
  'purchases.update_confirmed_declined': 'As a purchase that was not prepared.',
  'sessions.issue_challenge':
    'Every new passkey: its challenge and what it is asked for with in one round trip, not two.',
  'sessions.insert_enrollment': 'As a payment: customer, session and enrollment in one round trip.',
  'sessions.insert_enrolled_passkey': 'As below, with the end of the enrollment and its event.',
  'webhooks.insert_fanned_out':
    'All that is sent: deliveries and the work of their endpoints, in the transaction that numbers.',
  'sessions.insert_passkey': 'Every new passkey: proof, passkey and its card in one round trip instead of five.',
  'sessions.replace_passkey': 'The same, with the end of the one before.',
}

describe('the statements', () => {
  beforeAll(loadStatements)

  /** What all statements break, but for those that may. */
  async function find(rule: Rule, allowed: Readonly<Record<string, string>> = {}): Promise<Finding[]> {
    const found = await findInStatements(STATEMENTS.values(), rule)
    return found.filter(({ name }) => !(name in allowed))
  }

  test('rule 1: name one merchant at every tenant table, or are the operator’s', async () => {
    expect(await find(leavesMerchant, OPERATOR_STATEMENTS)).toEqual([])
  })

  test('rules 1 and 2: of the operator read, and lock and write nothing over merchants', async () => {
    expect(await find(actsOverMerchants)).toEqual([])
  })

  test('rule 4: insert inside WITH only where listed, with a reason', async () => {
    expect(await find(insertsInWith, INSERTS_IN_WITH)).toEqual([])
    const inserting = new Set((await find(insertsInWith)).map(({ name }) => name))
    expect(Object.keys(INSERTS_IN_WITH).filter((name) => !inserting.has(name))).toEqual([])
    expect(Object.values(INSERTS_IN_WITH).filter((reason) => reason.length < 10)).toEqual([])
  })

  // What these write is worth nothing without what is committed after it, which waits (ADR 0059), or little: a count.
  test('who commits without waiting for the disk', () => {
    const unawaited = [...STATEMENTS.values()].filter(({ text }) => text.includes('synchronous_commit'))
    expect(unawaited.map(({ name }) => name).sort()).toEqual([
      'agents.authenticate',
      'limits.take_points',
      'passkeys.claim_challenge',
      'passkeys.insert_challenge',
      'sessions.issue_challenge',
      'simnet.claim_token',
      'simnet.claim_untried_confirmation',
      'simnet.insert_instruction',
      'simnet.insert_minted',
    ])
  })

  test('rule 5: do not trust the row count of INSERT … SELECT', async () => {
    expect(await find(countsInsertedRows)).toEqual([])
  })

  test('rule 7: compute no time and no random value in UPDATE or DELETE', async () => {
    expect(await find(computesTimes)).toEqual([])
  })

  test('rule 11: use only tables of the list', async () => {
    expect(await find(usesUnknownTable)).toEqual([])
  })

  test('rule 17: no rows without columns', async () => {
    expect(await find(selectsNothing)).toEqual([])
  })

  test('rule 18: no recursion, and no lateral LIMIT or aggregate beside a copied table or a function', async () => {
    expect(await find(foldsOverMerchants)).toEqual([])
  })

  test('rule 19: a row is inserted after the one that it refers to, unless its key waits for COMMIT', async () => {
    const texts = (await readMigrations(MIGRATIONS_DIRECTORY)).map(({ sql }) => sql)
    const keys = await immediateKeys(texts)
    expect(keys.length).toBeGreaterThan(30)
    const found = await Promise.all(
      [...STATEMENTS.values()].map(async ({ name, text }) =>
        insertsChildFirst(keys, await readBlocks(text)).map((what) => ({ name, what })),
      ),
    )
    expect(found.flat()).toEqual([])
  })
})

describe('the migrations', () => {
  let texts: string[] = []
  beforeAll(async () => {
    texts = (await readMigrations(MIGRATIONS_DIRECTORY)).map(({ sql }) => sql)
  })

  test('rules 1 and 10: lead keys with merchant_id, add foreign keys last, and count with nothing', async () => {
    expect((await Promise.all(texts.map(findInMigration))).flat()).toEqual([])
  })

  test('rule 11: leave the tables of the list, each of which has a place with a reason', async () => {
    const left = await tablesLeft(texts)
    // The runner of the migrations makes its own.
    expect([...left, 'schema_migrations'].sort()).toEqual(Object.keys(TABLES).sort())
    expect(Object.values(TABLES).filter(({ reason }) => reason.length < 10)).toEqual([])
  })
})

describe('the check sees', () => {
  const see = async (rule: Rule, text: string) =>
    (await findInStatements([{ name: 'toys.test', text, shape: null }], rule)).map(({ what }) => what)

  test.each([
    ['select id from cards where id = $1', ['selects cards']],
    ['select id from cards where merchant_id = $1 or id = $2', ['selects cards']],
    ['select id from cards where merchant_id = $1 and id = $2', []],
    ['select id from cards where merchant_id = $1::text', []],
    [
      'select s.id from sessions s join cards c on c.merchant_id = s.merchant_id where s.merchant_id = $1',
      ['selects cards'],
    ],
    [
      'select s.id from sessions s left join cards c on c.merchant_id = $1 and c.id = s.card_id where s.merchant_id = $1',
      [],
    ],
    ['select s.id from sessions s, cards where s.merchant_id = $1 and merchant_id = $1', ['selects cards']],
    [
      'select id from sessions where merchant_id = $1 and exists (select 1 from cards where id = $2)',
      ['selects cards'],
    ],
    [
      'with due as (select id from cards where merchant_id = $1) update cards set last4 = $2 from due where cards.id = due.id',
      ['updates cards'],
    ],
    ['with cards as (select id from customers where merchant_id = $1) select id from cards', []],
    [
      'delete from cards using sessions where cards.merchant_id = $1 and sessions.card_id = cards.id',
      ['deletes sessions'],
    ],
    ['(select id from cards where merchant_id = $1) union all (select id from cards)', ['selects cards']],
    ['insert into cards (merchant_id, id) values ($1, $2)', []],
    ['insert into cards (id, merchant_id) select $2, $1 where $3', []],
    ['insert into cards (merchant_id, id) select merchant_id, $1 from merchants', ['inserts into cards']],
    ['select id from merchants', []],
  ])('rule 1: %s', async (text, expected) => {
    expect(await see(leavesMerchant, text)).toEqual(expected)
  })

  test.each([
    ['select merchant_id from cards where due_at <= $1', []],
    ['select merchant_id from cards where due_at <= $1 for update skip locked', ['selects cards for update']],
    ['select id from cards where merchant_id = $1 for update', []],
    ['delete from passkey_challenges where expires_at < $1', ['deletes passkey_challenges']],
  ])('rule 2: %s', async (text, expected) => {
    expect(await see(actsOverMerchants, text)).toEqual(expected)
  })

  test('rule 4', async () => {
    const text = 'with added as (insert into cards (merchant_id, id) values ($1, $2) returning id) select id from added'
    expect(await see(insertsInWith, text)).toEqual(['inserts into cards inside WITH'])
    expect(await see(insertsInWith, 'insert into cards (merchant_id, id) values ($1, $2)')).toEqual([])
  })

  test('rule 5', async () => {
    const text = 'insert into cards (merchant_id, id) select $1, id from customers where merchant_id = $1'
    expect(await see(countsInsertedRows, text)).toEqual(['counts the rows of INSERT … SELECT'])
    expect(await see(countsInsertedRows, `${text} returning id`)).toEqual([])
    expect(await see(countsInsertedRows, 'insert into cards (merchant_id, id) values ($1, $2)')).toEqual([])
  })

  test.each([
    ['update cards set updated_at = now() where merchant_id = $1', ['updates with now()']],
    [
      'update cards set updated_at = current_timestamp where merchant_id = $1',
      ['updates with SVFOP_CURRENT_TIMESTAMP'],
    ],
    [
      "delete from cards where merchant_id = $1 and updated_at + interval '1 day' < $2",
      ['deletes with arithmetic on a time'],
    ],
    ['delete from cards where merchant_id = $1 and updated_at - $3 < $2', ['deletes with arithmetic on a time']],
    ["update cards set last4 = to_char(updated_at, 'YYYY') where merchant_id = $1", ['updates with to_char()']],
    ['update cards set id = gen_random_uuid() where merchant_id = $1', ['updates with gen_random_uuid()']],
    ['update cards set attempts = attempts + 1, updated_at = $2 where merchant_id = $1', []],
    ['update sandbox_clock set offset_seconds = $1 returning clock_timestamp()', []],
  ])('rule 7: %s', async (text, expected) => {
    expect(await see(computesTimes, text)).toEqual(expected)
  })

  test.each([
    [
      'create table cards (merchant_id text, id text, constraint cards_pkey primary key (id))',
      'has cards_pkey, not led by merchant_id',
    ],
    ['create table cards (id text constraint cards_id_key unique)', 'has cards_id_key, not led by merchant_id'],
    ['create unique index cards_last4_key on cards (last4)', 'has cards_last4_key, not led by merchant_id'],
    ['create table cards (id bigserial)', 'counts id with a sequence'],
    ["create table cards (id bigint default nextval('s'))", 'counts with a sequence'],
    ['create table cards (id int generated always as identity)', 'has an identity column'],
    ['create sequence s', 'is created'],
    ['create trigger t before insert on cards for each row execute function f()', 'has a trigger'],
    [
      'create table cards (merchant_id text constraint cards_m_fkey references merchants (id))',
      'has a foreign key in CREATE TABLE',
    ],
    [
      'alter table cards add constraint cards_c_fkey foreign key (customer_id) references customers (id)',
      'has cards_c_fkey, which leaves the merchant',
    ],
    [
      'alter table cards add constraint cards_c_fkey foreign key (id) references merchants (id)',
      'has cards_c_fkey, which leaves the merchant',
    ],
    [
      'alter table cards add constraint cards_c_fkey foreign key (id) references key_encryption_keys (state)',
      'has cards_c_fkey, which leaves the merchant',
    ],
    [
      'alter table cards add constraint cards_c_fkey foreign key (merchant_id, c) references customers (merchant_id, id) on delete set null',
      'has cards_c_fkey with SET NULL',
    ],
  ])('rule 10: %s', async (sql, expected) => {
    expect((await findInMigration(sql)).map(({ what }) => what)).toEqual([expected])
  })

  test.each([
    [
      'with agreed as (select from cards where merchant_id = $1) select 1 from agreed',
      ['selects rows without columns'],
    ],
    ['select count(*) from (select from cards where merchant_id = $1 limit 1) first', ['selects rows without columns']],
    ['select id from cards where merchant_id = $1 and exists (select 1 from customers)', []],
    ['insert into cards (merchant_id, id) values ($1, $2)', []],
    ['select 1 from cards where merchant_id = $1 union all select 2', []],
  ])('rule 17: %s', async (text, expected) => {
    expect(await see(selectsNothing, text)).toEqual(expected)
  })

  test.each([
    ['with recursive w as (select id from cards union all select id from w) select id from w', ['recurs']],
    [
      'select m.id from merchants m join lateral (select 1 from cards where merchant_id = m.id limit 1) old on true',
      ['limits or aggregates in a lateral subquery beside merchants'],
    ],
    [
      'select k from unnest($1::text[]) k cross join lateral (select count(*) from open_work where kind = k) due',
      ['limits or aggregates in a lateral subquery beside a function'],
    ],
    [
      'select s.id from sessions s join lateral (select * from cards where merchant_id = $1 and id = s.card_id offset 0) c on true',
      [],
    ],
    [
      'select merchant_id from cards where merchant_id = any (array(select id from merchants where id > $1)) limit 1',
      [],
    ],
  ])('rule 18: %s', async (text, expected) => {
    expect(await see(foldsOverMerchants, text)).toEqual(expected)
  })

  test('rule 19', async () => {
    const keys = await immediateKeys([
      'alter table cards add constraint a foreign key (merchant_id, v) references vault_records (merchant_id, id)',
      'alter table sessions add constraint b foreign key (merchant_id, c) references cards (merchant_id, id)',
      'alter table charges add constraint c foreign key (merchant_id, c) references cards (merchant_id, id) deferrable initially deferred',
      'alter table sessions drop constraint b',
    ])
    expect(keys).toEqual([{ child: 'cards', parent: 'vault_records' }])
    const record = 'insert into vault_records (merchant_id, id) values ($1, $2) returning id'
    const card = 'insert into cards (merchant_id, v) values ($1, $2) returning v'
    const first = async (text: string) => insertsChildFirst(keys, await readBlocks(text))
    expect(await first(`with a as (${card}), b as (${record}) select 1 from b`)).toEqual([
      'inserts into cards before vault_records',
    ])
    expect(await first(`with a as (${card}) ${record}`)).toEqual(['inserts into cards before vault_records'])
    expect(await first(`with b as (${record}), a as (${card}) select 1 from a`)).toEqual([])
    expect(await first(`with b as (${record}) ${card}`)).toEqual([])
  })

  test('rule 11', async () => {
    expect(await see(usesUnknownTable, 'select id from toys join simnet.cards c on c.id = toys.id')).toEqual([
      'uses toys, simnet.cards',
    ])
  })
})
