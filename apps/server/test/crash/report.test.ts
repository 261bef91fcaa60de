// Guarantee: wherever the service dies while it takes a merchant's report, the same report later gets the one answer, and
// the network is told once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Caller, eventually, note } from '../processes/program.ts'
import { AT_REST, expectNoStrays, readLedger } from './ledger.ts'
import { approve, openStage, outcomeOf, prepareApproval, SIDES_OF_FEW, STEP, type Stage } from './stage.ts'
import { commits, sweepKills } from './sweep.ts'
import type { WireMessage } from './wire-proxy.ts'

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

test.each(SIDES_OF_FEW)('killed %s every message of a report', async (when) => {
  const items = new Map<string, string>()
  const report = (merchant: Caller, sessionId: string, outcome: Outcome) =>
    merchant.post(`/v1/sessions/${sessionId}/report-status`, {
      txn_ref_id: items.get(sessionId),
      txn_status: outcome,
      authorization_code: '123456',
    })
  const sweep = {
    when,
    least: 4,
    stops: [commits('sessions.claim_report'), commits('charges.update_failed', 'charges.update_paid')],
    variants: ['DECLINED', 'APPROVED'] as const,
    async prepare(merchant: Caller, at: number) {
      const sessionId = await prepareApproval(merchant, `${when}-${at}`)
      await approve(merchant, sessionId)
      const { transactions } = await outcomeOf(merchant, sessionId)
      items.set(sessionId, transactions[0].line_items[0].txn_ref_id)
      return sessionId
    },
    act: report,
  }
  const settled = await sweepKills(stage, sweep, async ({ merchant }, { variant: outcome, sessionId, answer }) => {
    const { ends, other } = REPORTS[outcome]
    const again = await report(merchant, sessionId, outcome)
    expect(again).toMatchObject({ status: 200, body: { txn_status: outcome, network_confirmation: 'SUCCESS' } })
    // 503: held too long on a busy machine, and said so before it was killed.
    if (answer?.status === 200) expect(again.body).toEqual(answer.body)
    expect((await report(merchant, sessionId, other)).body.error.code).toBe('INVALID_STATE')
    expect(await readLedger(stage.database.pool, sessionId)).toEqual(AT_REST[ends])
  })
  await expectNoStrays(stage.database.pool)
  note(`Report, killed ${when} each of ${settled.length} messages`)
})

test('connection lost after each message of a report: an equal one takes over', async () => {
  const { merchant, proxy, program } = await stage.start('serve')
  const longest: number[] = []
  for (let at = 1, happened = true; happened; at += STEP) {
    const sessionId = await prepareApproval(merchant, `lost-${at}`)
    await approve(merchant, sessionId)
    const { transactions } = await outcomeOf(merchant, sessionId)
    const body = { txn_ref_id: transactions[0].line_items[0].txn_ref_id, txn_status: 'APPROVED' }
    const report = () => merchant.post(`/v1/sessions/${sessionId}/report-status`, body)
    void proxy?.arm({ counts: isSync, at, when: 'after', action: 'drop' })
    const cut = await report()
    happened = proxy?.disarm().happened ?? false
    if (cut.status !== 200) expect([502, 503]).toContain(cut.status)
    // No clock is advanced, and no worker runs: the report itself takes over. Where the machine stands still a request's time is over
    // before the lease of the lost one is, and the next report takes over.
    const start = performance.now()
    const again = await eventually(async () => {
      const answer = await report()
      return answer.status === 503 ? undefined : answer
    })
    expect(again).toMatchObject({ status: 200, body: { txn_status: 'APPROVED' } })
    longest.push(Math.round(performance.now() - start))
    expect(await readLedger(stage.database.pool, sessionId)).toEqual(AT_REST.completed)
  }
  await program.stop()
  note(`Report, connection lost: taken over after ${longest.join(', ')} ms`)
  expect(longest.length).toBeGreaterThan(4 / STEP)
})

function isSync({ direction, type }: WireMessage): boolean {
  return direction === 'frontend' && (type === 'Q' || type === 'S')
}
