import { expect } from 'vitest'
import type { Queryable } from '../../src/db/statement.ts'

// Sessions, as tests ask for them, force them and edit them. Each is in the row of its charge, its mandate or its
// enrollment (ADR 0080): a test names no table of them.

/** The tables themselves, for tests that watch them or put them back as a whole. */
export const SESSION_TABLES = ['charges', 'mandates', 'enrollments']

/** The table that an alarm about a session names, whichever row it is in: the name is a part of what is sealed. */
export const SESSION_ALARM = 'sessions'

const SAME = `customer_id, integration_type, callback_url, preselected_vault_record_id, card_id, proven_card_id, proof, proof_seal, entry_id, entry_once, entry_keeping, code_sent_at,
  entry_new_codes, new_codes, launch_hash, created_at, expires_at, extended_at, closed_at, locale, ceremony, challenge, nonce, bound_text`

const ORDER = 'order_id, description, summary, effective_minutes'

/** For `from`: every session, whatever it is for. */
export const SESSIONS = `(
  select merchant_id, opened_by as id, 'payment' as kind, id as charge_id, null as mandate_id, session_version as version,
    asking_agent_id as agent_id, asking_agent_name as agent_name, asking_agent_seal as agent_seal, ${ORDER}, ${SAME}
  from charges where launch_hash is not null
  union all
  select merchant_id, session_id, 'mandate_setup', null, id, session_version, agent_id, agent_name, agent_seal, ${ORDER}, ${SAME}
  from mandates where launch_hash is not null
  union all
  select merchant_id, id, 'enrollment', null, null, session_version, null, null, null, null, null, null, null, ${SAME}
  from enrollments)`

/** For `from`: payment sessions `s`, each with its charge `c`. */
export const SESSION_AND_CHARGE = `${SESSIONS} s join charges c on c.merchant_id = s.merchant_id and c.id = s.charge_id`

/** What belongs to the session `$1`, as a value in SQL. */
export const OF_SESSION = {
  merchant: `(select merchant_id from ${SESSIONS} s where id = $1)`,
  customer: `(select customer_id from ${SESSIONS} s where id = $1)`,
  card: `(select card_id from ${SESSIONS} s where id = $1)`,
  charge: `(select charge_id from ${SESSIONS} s where id = $1)`,
  passkey: `(select p.id from passkeys p join ${SESSIONS} s using (customer_id) where s.id = $1)`,
}

/** The row of a session, which there has to be. */
export async function sessionRow(on: Queryable, id: string) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at columns without types.
  const { rows } = await on.query<any>(`select * from ${SESSIONS} s where id = $1`, [id])
  expect(rows, id).toHaveLength(1)
  return rows[0]
}

/** The row of the card that a session has chosen. */
export async function chosenCard(on: Queryable, id: string) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at columns without types.
  const { rows } = await on.query<any>(
    `select c.* from cards c join ${SESSIONS} s on s.card_id = c.id and s.merchant_id = c.merchant_id where s.id = $1`,
    [id],
  )
  expect(rows, id).toHaveLength(1)
  return rows[0]
}

/** Which of these sessions are there, in their order. */
export async function sessionsThere(on: Queryable, ids: readonly string[]): Promise<string[]> {
  const { rows } = await on.query<{ id: string }>(
    `select id from ${SESSIONS} s where id = any($1) order by array_position($1, id)`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** The open sessions of a customer. */
export async function openSessionsOf(on: Queryable, customerId: string): Promise<string[]> {
  const { rows } = await on.query<{ id: string }>(
    `select id from ${SESSIONS} s where customer_id = $1 and closed_at is null`,
    [customerId],
  )
  return rows.map(({ id }) => id)
}

/** The sessions that an agent has asked for, the latest first. */
export async function sessionsOfAgent(
  on: Queryable,
  agentId: string,
): Promise<{ id: string; closed_at: Date | null }[]> {
  const { rows } = await on.query<{ id: string; closed_at: Date | null }>(
    `select id, closed_at from ${SESSIONS} s where agent_id = $1 order by id desc`,
    [agentId],
  )
  return rows
}

/** The statement by which an editor changes the session `$1` of a purchase; other values begin at `$2`. */
export const setInSession = (set: string) =>
  `update charges set ${set.replaceAll(/\bagent_(?=id|name|seal)/g, 'asking_agent_')} where opened_by = $1`

/** The same of one that sets up a mandate. */
const setInSetup = (set: string) => `update mandates set ${set} where session_id = $1`

/** The same of one that enrolls a card. */
export const setInEnrollment = (set: string) => `update enrollments set ${set} where id = $1`

/** The same of any. */
export async function editSession(on: Queryable, id: string, set: string, values: readonly unknown[] = []) {
  const edits = { charges: setInSession, mandates: setInSetup, enrollments: setInEnrollment }
  const { rows } = await on.query<{ of: keyof typeof edits }>(
    `select case kind when 'payment' then 'charges' when 'enrollment' then 'enrollments' else 'mandates' end as of
     from ${SESSIONS} s where id = $1`,
    [id],
  )
  expect(rows, id).toHaveLength(1)
  for (const { of } of rows) await on.query(edits[of](set), [id, ...values])
}

/** The sessions of all purchases. */
export async function editAllSessions(on: Queryable, set: string): Promise<void> {
  await on.query(`update charges set ${set} where launch_hash is not null`)
}

/** A session is made to lead to another customer. */
export const giveSession = (on: Queryable, id: string, customerId: string) =>
  editSession(on, id, 'customer_id = $2', [customerId])

/** A session is made to have chosen a card. */
export const chooseCard = (on: Queryable, id: string, cardId: string) => editSession(on, id, 'card_id = $2', [cardId])

/** Whatever sessions of a merchant have chosen this card have chosen none. */
export async function forgetChoiceOf(on: Queryable, merchantId: string, cardId: string): Promise<void> {
  for (const table of SESSION_TABLES) {
    await on.query(`update ${table} set card_id = null where card_id = $1 and merchant_id = $2`, [cardId, merchantId])
  }
}

/** The session of a purchase is given the proof of a card that another one has, seal and all. */
export async function copyProof(on: Queryable, to: string, cardId: string): Promise<void> {
  await on.query(
    `update charges set card_id = s.card_id, proven_card_id = s.proven_card_id, proof = s.proof, proof_seal = s.proof_seal
     from (select * from charges where card_id = $2 and proven_card_id = $2) s where charges.opened_by = $1`,
    [to, cardId],
  )
}

/** A session is given the charge of another one, in the place of its own. */
export async function leadToChargeOf(on: Queryable, id: string, otherId: string): Promise<void> {
  await on.query('update charges set launch_hash = null where opened_by = $1', [id])
  await on.query('update charges set opened_by = $1 where opened_by = $2', [id, otherId])
}

/** No step of these sessions goes on before the transaction ends. */
export async function holdSessions(client: Queryable, ids: readonly string[]): Promise<void> {
  await client.query('select 1 from mandates where session_id = any($1) for update', [ids])
  await client.query('select 1 from enrollments where id = any($1) for update', [ids])
  await client.query('select 1 from charges where opened_by = any($1) for update', [ids])
}
