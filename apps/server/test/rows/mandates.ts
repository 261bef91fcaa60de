import { expect } from 'vitest'
import type { Queryable } from '../../src/db/statement.ts'
import type { Window } from '../../src/network/windows.ts'

// Mandates, as tests ask for them, force them and edit them. Those of checkouts are in the rows of their charges (ADR
// 0080): a test names no table of them.

/** What a column of `mandates` is in the row of a purchase, where it is called otherwise, or says the same of all. */
const OF_PURCHASE = {
  ...{
    id: 'mandate_id',
    status: 'mandate_status',
    frequency: "'one_time'",
    merchant_scope: "'listed'",
    max_charges: '1',
  },
  ...{ approved_minor: 'amount_minor', seal: 'mandate_seal', version: 'mandate_version', agent_id: 'asking_agent_id' },
  ...{ created_at: 'approved_at', updated_at: 'mandate_changed_at', charge_count: '0', window_spent_minor: '0' },
  ...{ activated_at: 'null', ended_at: 'null', failure_code: 'null', session_id: 'null', order_id: 'null' },
  ...{ entry_new_codes: '0', new_codes: '0' },
  ...{ owner_seal: 'null', window_started_at: 'null', window_ends_at: 'null', adjustable: 'false', products: 'null' },
}
const SAME = `merchant_id, customer_id, card_id, currency, payee_name, payee_network_name, payee_url, payee_country, payee_category_code,
  payee_category, external_order_ref, approval_hash, valid_until, instruction_ref`

/** For `from`: every mandate, standing or of a checkout. */
export const MANDATES = `(
  select ${Object.keys(OF_PURCHASE)}, false as per_checkout, ${SAME} from mandates
  union all
  select ${Object.values(OF_PURCHASE)}, true, ${SAME} from charges where mandate_status is not null)`

/** The table of standing ones, for tests that fill it or put it back as a whole. */
export const MANDATE_TABLE = 'mandates'

/** The table that an alarm about the mandate of a purchase names: the name is a part of what is sealed. */
export const PURCHASE_MANDATE_TABLE = 'mandates'

/** The row of a mandate, which there has to be. */
export const mandateRow = (on: Queryable, id: string) => oneMandate(on, 'id = $1', id)

/** The row of a standing mandate with all its columns, also those of the session that sets it up. */
export async function wholeMandate(on: Queryable, id: string): Promise<Record<string, unknown>> {
  const { rows } = await on.query('select * from mandates where id = $1', [id])
  expect(rows, id).toHaveLength(1)
  return rows[0]
}

/** The session that set it up was deleted with its time. */
export const forgetSessionOf = (on: Queryable, id: string) =>
  on.query('update mandates set launch_hash = null, expires_at = null, closed_at = null where id = $1', [id])

/** The mandate that a session has set up. */
export const mandateOfSetup = (on: Queryable, sessionId: string) => oneMandate(on, 'session_id = $1', sessionId)

/** The mandate of a purchase, by the session that paid. */
export const mandateOfPurchase = (on: Queryable, sessionId: string) =>
  oneMandate(on, 'id = (select mandate_id from charges where opened_by = $1)', sessionId)

async function oneMandate(on: Queryable, where: string, value: string) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at columns without types.
  const { rows } = await on.query<any>(`select * from ${MANDATES} m where ${where}`, [value])
  expect(rows, value).toHaveLength(1)
  return rows[0]
}

/** A mandate with the token that pays it, as both are sealed. */
export async function mandateWithToken(on: Queryable, id: string) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at columns without types.
  const { rows } = await on.query<any>(
    `select m.*, c.network_token_ref from ${MANDATES} m join cards c on c.id = m.card_id where m.id = $1`,
    [id],
  )
  expect(rows, id).toHaveLength(1)
  return rows[0]
}

/** The mandates that a card pays, or has paid. */
export async function mandatesOfCard(on: Queryable, cardId: string): Promise<{ id: string; status: string }[]> {
  const { rows } = await on.query<{ id: string; status: string }>(
    `select id, status from ${MANDATES} m where card_id = $1`,
    [cardId],
  )
  return rows
}

/** The statement by which an editor of the database changes the standing mandate `$1`; other values begin at `$2`. */
const setInStanding = (set: string) => `update mandates set ${set} where id = $1`

/** What the columns of a mandate are called in the row of its purchase. */
const inCharge = (set: string) =>
  set
    .replaceAll(/\b(?:status|version|seal)(?= = )/g, 'mandate_$&')
    .replaceAll(/\bapproved_minor(?= = )/g, 'amount_minor')

/** The same for the mandate of the purchase that the session `$1` has paid. */
export const setInMandateOfPurchase = (set: string) =>
  `update charges set ${inCharge(set)} where opened_by = $1 and mandate_status is not null`

export async function editMandate(on: Queryable, id: string, set: string, values: readonly unknown[] = []) {
  const standing = await on.query(setInStanding(set), [id, ...values])
  if (standing.rowCount === 1) return
  const ofPurchase = `update charges set ${inCharge(set)} where mandate_id = $1 and mandate_status is not null`
  expect((await on.query(ofPurchase, [id, ...values])).rowCount, id).toBe(1)
}

/** The time of a mandate is over at this moment; the work on it is left alone. */
export const mandateEndsAt = (on: Queryable, id: string, at: Date) => editMandate(on, id, 'valid_until = $2', [at])

/** A mandate is made to lead to another customer. */
export const giveMandate = (on: Queryable, id: string, customerId: string) =>
  editMandate(on, id, 'customer_id = $2', [customerId])

/** Nothing charges or moves a mandate before the transaction ends. */
export async function holdMandate(client: Queryable, id: string, lock: 'update' | 'no key update'): Promise<void> {
  await client.query(`select 1 from mandates where id = $1 for ${lock}`, [id])
  await client.query(`select 1 from charges where mandate_id = $1 and mandate_status is not null for ${lock}`, [id])
}

/** A standing mandate like any other mandate, with some columns changed. Names that are no column are ignored. */
export async function copyMandate(on: Queryable, id: string, changes: object): Promise<void> {
  await on.query(
    `insert into mandates select (jsonb_populate_record(null::mandates, to_jsonb(t) || $3::jsonb || $2::jsonb)).*
     from ${MANDATES} t where t.id = $1`,
    [id, JSON.stringify(changes), JSON.stringify({ updated_at: null, external_order_ref: null })],
  )
}

/** So many mandates like one, each with work like its own; returns their ids. */
export async function copiesOfMandate(on: Queryable, id: string, count: number): Promise<string[]> {
  const { rows } = await on.query<{ id: string }>(
    `with made as (
       insert into mandates select (jsonb_populate_record(m, jsonb_build_object('id', m.id || n))).*
       from mandates m, generate_series(1, $2) n where m.id = $1 returning id),
     work as (
       insert into open_work select (jsonb_populate_record(w, jsonb_build_object('id', made.id))).*
       from open_work w, made where w.id = $1)
     select id from made`,
    [id, count],
  )
  return rows.map((row) => row.id)
}

interface Take {
  at: Date
  amountMinor: bigint
  window: Window
}

/** Takes an amount of a mandate's window, which begins anew where it is over; false where the amount does not fit. */
export async function takeOfWindow(on: Queryable, id: string, { at, amountMinor, window }: Take): Promise<boolean> {
  const { rowCount } = await on.query(
    `update mandates set charge_count = charge_count + 1, updated_at = $2, window_started_at = $4, window_ends_at = $5,
       window_spent_minor = case when window_started_at = $4 then window_spent_minor else 0 end + $3
     where id = $1 and status = 'active' and valid_until > $2 and (max_charges is null or charge_count < max_charges)
       and case when window_started_at = $4 then window_spent_minor else 0 end + $3 <= approved_minor`,
    [id, at, amountMinor, window.startsAt, window.endsAt],
  )
  return rowCount === 1
}

/** Gives a charge's amount back to the window that it was taken from, if that is still the one its mandate knows. */
export async function giveBackToWindow(on: Queryable, id: string, chargeId: string): Promise<void> {
  await on.query(
    `update mandates set charge_count = charge_count - 1, window_spent_minor = window_spent_minor
       - case when mandates.window_started_at = c.window_started_at then c.amount_minor else 0 end
     from charges c where mandates.id = $1 and c.id = $2`,
    [id, chargeId],
  )
}
