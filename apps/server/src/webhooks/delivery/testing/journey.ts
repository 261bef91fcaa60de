import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { createSession, revoke } from '../../../../test/flows.ts'
import { countOfWorkBefore } from '../../../../test/rows/work.ts'
import type { TestMerchant, TestService } from '../../../../test/service.ts'

/** Some events of sessions that are revoked. */
export async function revokeSessions(merchant: TestMerchant, sessions = 1): Promise<void> {
  for (let count = 0; count < sessions; count += 1) {
    const { session_id } = await createSession(merchant)
    expect((await revoke(merchant, session_id)).status).toBe(200)
  }
}

/** Serves also what the pace of the application makes wait. */
export async function deliverAll(service: TestService, { merchantId }: TestMerchant): Promise<void> {
  await service.runJobs()
  for (let rounds = 0; rounds < 30; rounds += 1) {
    const soon = new Date(service.clock.now().getTime() + 1_500)
    if ((await countOfWorkBefore(service.pool, merchantId, soon)) === 0) return
    await service.clock.advance(1)
    // The pace of an account is kept in true time.
    await delay(100)
    await service.runJobs()
  }
}
