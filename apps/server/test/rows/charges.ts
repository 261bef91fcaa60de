import { expect } from 'vitest'
import type { Queryable } from '../../src/db/statement.ts'

// Charges, as tests ask for them, force them and edit them. A purchase's row is on its way to hold its session and its
// mandate as well (ADR 0080); what leads from a session to its purchase is said here alone.

/** The row of a charge, which there has to be. */
export const chargeRow = (on: Queryable, id: string) => oneCharge(on, 'id = $1', id)

/** The row of the purchase that a session is for. */
export const purchaseRow = (on: Queryable, sessionId: string) => oneCharge(on, 'opened_by = $1', sessionId)

async function oneCharge(on: Queryable, where: string, value: string) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at columns without types.
  const { rows } = await on.query<any>(`select * from charges where ${where}`, [value])
  expect(rows, value).toHaveLength(1)
  return rows[0]
}

/** The statement by which an editor changes the purchase of the session `$1`; other values begin at `$2`. */
export const setInPurchase = (set: string) => `update charges set ${set} where opened_by = $1`

export async function editPurchase(on: Queryable, sessionId: string, set: string, values: readonly unknown[] = []) {
  const { rowCount } = await on.query(setInPurchase(set), [sessionId, ...values])
  expect(rowCount, sessionId).toBe(1)
}

/** As another worker would change the open work of the purchase that a session is for, which there has to be. */
export async function editWorkOfPurchase(on: Queryable, sessionId: string, set: string): Promise<void> {
  const { rowCount } = await on.query(`${setInPurchase(set)} and work_due_at is not null`, [sessionId])
  expect(rowCount, sessionId).toBe(1)
}
