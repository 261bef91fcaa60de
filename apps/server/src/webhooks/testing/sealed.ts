import type { Pool } from 'pg'
import { TEST_SEALS } from '../../../test/service.ts'
import { destinationSeal } from '../seal.ts'

/** Seals an endpoint as it is, after a test wrote it past the program. */
export async function sealEndpoint(pool: Pool, id: string): Promise<void> {
  const { rows } = await pool.query('select * from webhook_endpoints where id = $1 and deleted_at is null', [id])
  for (const row of rows) {
    const { merchant_id: merchantId, url, revision, verified_at: verifiedAt, enabled, is_account: isAccount } = row
    const seal = destinationSeal(
      { seals: TEST_SEALS },
      { merchantId, id, url, revision, verifiedAt, enabled, isAccount },
    )
    await pool.query('update webhook_endpoints set seal = $3 where merchant_id = $1 and id = $2', [
      merchantId,
      id,
      seal,
    ])
  }
}

/** Edits an endpoint past the program, as if the program had. */
export async function editEndpoint(pool: Pool, id: string, set: string): Promise<void> {
  await pool.query(`update webhook_endpoints set ${set} where id = $1`, [id])
  await sealEndpoint(pool, id)
}
