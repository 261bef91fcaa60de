import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { createSession, revoke } from '../../../../test/flows.ts'
import type { TestMerchant, TestService } from '../../../../test/service.ts'

/** Some events of sessions that are revoked. */
export async function revokeSessions(merchant: TestMerchant, sessions = 1): Promise<void> {
  for (let count = 0; count < sessions; count += 1) {
    const { session_id } = await createSession(merchant)
    expect((await revoke(merchant, session_id)).status).toBe(200)
  }
}

/** Serves also what the pace of the application makes wait, until nothing is due soon. */
export async function deliverAll(service: TestService, { merchantId }: TestMerchant): Promise<void> {
  await service.runJobs()
  for (;;) {
    const { rows } = await service.pool.query(
      `select due_at from open_work where merchant_id = $1 and due_at < $2
       union all select work_due_at from charges where merchant_id = $1 and work_due_at < $2`,
      [merchantId, new Date(service.clock.now().getTime() + 1_500)],
    )
    if (rows.length === 0) return
    await service.clock.advance(1)
    // The pace of an account is kept in true time; what does not come in this much comes in the next.
    await delay(100)
    await service.runJobs()
  }
}
