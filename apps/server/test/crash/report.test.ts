// Guarantee: wherever the service dies while it takes a merchant's report, the same report later gets the one answer, and
// the network is told once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, note } from '../processes/program.ts'
import { AT_REST, expectNoStrays, readLedger } from './ledger.ts'
import { approve, letLeasesEnd, openStage, outcomeOf, prepareApproval, type Stage, sweepKills } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const REPORTS = {
  // A declined charge gives its amount back at the network: a second telling would show in what is spent.
  DECLINED: { ends: 'failed', other: 'APPROVED' },
  APPROVED: { ends: 'completed', other: 'DECLINED' },
} as const
type Outcome = keyof typeof REPORTS

test.each(['before', 'after'] as const)('killed %s every message of a report', { timeout: 300_000 }, async (when) => {
  const items = new Map<string, string>()
  const outcomeAt = (at: number): Outcome => (at % 2 === 0 ? 'DECLINED' : 'APPROVED')
  const report = (merchant: Caller, sessionId: string, outcome: Outcome) =>
    merchant.post(`/v1/sessions/${sessionId}/report-status`, {
      txn_ref_id: items.get(sessionId),
      txn_status: outcome,
      authorization_code: '123456',
    })
  const victims = await sweepKills(stage, {
    when,
    async prepare(merchant, at) {
      const sessionId = await prepareApproval(merchant, `${when}-${at}`)
      await approve(merchant, sessionId)
      const { transactions } = await outcomeOf(merchant, sessionId)
      items.set(sessionId, transactions[0].line_items[0].txn_ref_id)
      return sessionId
    },
    act: (merchant, sessionId, at) => report(merchant, sessionId, outcomeAt(at)),
  })
  const { program, merchant } = await stage.start('recover')
  await letLeasesEnd(merchant)
  for (const { at, sessionId, answer } of victims) {
    const outcome = outcomeAt(at)
    const { ends, other } = REPORTS[outcome]
    const again = await report(merchant, sessionId, outcome)
    expect(again).toMatchObject({ status: 200, body: { txn_status: outcome, network_confirmation: 'SUCCESS' } })
    // 503: held too long on a busy machine, and said so before it was killed.
    if (answer?.status === 200) expect(again.body).toEqual(answer.body)
    expect((await report(merchant, sessionId, other)).body.error.code).toBe('INVALID_STATE')
    expect(await readLedger(stage.database.pool, sessionId)).toEqual(AT_REST[ends])
  }
  await expectNoStrays(stage.database.pool)
  await program.stop()
  note(`Report, killed ${when} each of ${victims.length} messages`)
  expect(victims.length).toBeGreaterThan(5)
})
