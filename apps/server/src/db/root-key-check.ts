import { timingSafeEqual } from 'node:crypto'
import type { Pool } from 'pg'
import { sqlState, UNDEFINED_TABLE } from './errors.ts'
import { lockMigrations } from './migrate.ts'
import { bytes, text } from './row.ts'
import { execute, one, type Queryable } from './statement.ts'
import { transaction } from './transaction.ts'

// A database knows which root key it was made with, by a keyed hash that says nothing of the key. A process with another
// key would refuse every API key, and seal what no other process can open.

const findCheck = one('deployment.find_root_key_check', 'select value from root_key_check', { value: bytes })

const insertCheck = execute(
  'deployment.insert_root_key_check',
  // Never replaced: the process that comes second compares.
  'insert into root_key_check (id, value) values (true, $value) on conflict on constraint root_key_check_pkey do nothing',
)

const findMerchant = one('deployment.find_merchant', 'select id from merchants limit 1', { id: text })

/** True when the database holds what only its own root key opens. Also for one without our tables: false. */
export async function needsRootKey(pool: Pool): Promise<boolean> {
  const found = await orUndefined(async () => (await findCheck(pool)) ?? (await findMerchant(pool)))
  return found !== undefined
}

/** False when the database was made with another root key. Changes nothing. */
export async function fitsRootKey(on: Queryable, value: Buffer): Promise<boolean> {
  const stored = (await orUndefined(() => findCheck(on)))?.value
  return stored === undefined || (stored.length === value.length && timingSafeEqual(stored, value))
}

/** Keeps the check value, once, and compares: where two first starts have different keys, one is refused. */
export async function keepRootKeyCheck(pool: Pool, value: Buffer): Promise<boolean> {
  if ((await findCheck(pool)) === undefined) {
    await transaction(pool, async (tx) => {
      await lockMigrations(tx)
      await insertCheck(tx, { value })
    })
  }
  return fitsRootKey(pool, value)
}

async function orUndefined<T>(find: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return undefined
    throw error
  }
}
