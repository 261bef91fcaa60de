import type { Pool } from 'pg'

/** The mails with the code of an address, by its keyed hash: they are not sent. */
export async function withdrawCodes(pool: Pool, addressHash: Buffer): Promise<void> {
  const codes = `select id from mails where kind = 'visit_code' and address_hash = $1`
  await pool.query(`delete from open_work where kind = 'mail' and id in (${codes})`, [addressHash])
  await pool.query(`delete from mails where id in (${codes})`, [addressHash])
}
