// Guarantee: wherever the service dies between the cardholder's approval and the recorded credential, the session ends
// in exactly one minted credential or in none and can be approved again; never in two, never stuck.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countBy } from '../flows.ts'
import { type Caller, note } from '../processes/program.ts'
import { AT_REST, expectNoStrays, readLedger } from './ledger.ts'
import {
  approve,
  BOTH_SIDES,
  expectSpendable,
  letLeasesEnd,
  openStage,
  outcomeOf,
  prepareApproval,
  SIDES,
  STEP,
  type Stage,
  type Staged,
  sweepKills,
  type Victim,
} from './stage.ts'
import type { WireMessage } from './wire-proxy.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

test.each(SIDES)('killed %s every message of an approval', { timeout: 300_000 }, async (when) => {
  const prepare = (merchant: Caller, at: number) => prepareApproval(merchant, `${when}-${at}`)
  const found = await sweepKills(stage, { when, least: 10, prepare, act: approve }, expectOneOrNone)
  await expectNoStrays(stage.database.pool)
  const outcomes = countBy(found, (status) => status)
  note(`Approval, killed ${when} each of ${found.length} messages: ${JSON.stringify(outcomes)}`)
  // The sweep met both sides of the decision. How often depends on what the service says between the messages.
  expect(outcomes.pending).toBeGreaterThan(0)
  expect(outcomes.awaiting_result).toBeGreaterThan(0)
})

/** Settled, and all tables agree; an approval that left no trace can be given again and then mints once. */
async function expectOneOrNone({ merchant }: Staged, { sessionId, answer }: Victim) {
  const { pool } = stage.database
  const first = await outcomeOf(merchant, sessionId)
  expect(await readLedger(pool, sessionId)).toEqual(AT_REST[first.status as 'pending'])
  if (answer?.body.status === 'awaiting_result') expect(first.status).toBe('awaiting_result')
  if (first.status === 'pending') expect((await approve(merchant, sessionId)).body.status).toBe('awaiting_result')
  await expectSpendable(merchant, first.status === 'pending' ? await outcomeOf(merchant, sessionId) : first)
  expect(await readLedger(pool, sessionId)).toEqual(AT_REST.awaiting_result)
  return first.status as 'pending' | 'awaiting_result'
}

// The service lives on: what the server did not get is something else than what it did and could not say.
test.each(BOTH_SIDES)(
  'connection lost %s each message of an approval that may commit',
  { timeout: 300_000 },
  async (when) => {
    const service = await stage.start('all')
    let messages = 0
    for (let at = 1, happened = true; happened; at += STEP) {
      const sessionId = await prepareApproval(service.merchant, `commit-${when}-${at}`)
      void service.proxy?.arm({ counts: mayCommit, at, when, action: 'drop' })
      const answer = await approve(service.merchant, sessionId)
      happened = service.proxy?.disarm().happened ?? false
      if (happened) messages = at
      // The outcome is unknown to the service: it may have found out already, or it says so, and finds out later.
      if (answer.status !== 200)
        expect(answer).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } })
      // It may have been told before the server has done what it got last.
      await service.proxy?.dropped()
      await letLeasesEnd(service.merchant)
      await expectOneOrNone(service, { at, sessionId, answer })
    }
    await expectNoStrays(stage.database.pool)
    await service.program.stop()
    note(`approve, connection lost ${when} messages that may commit, up to the ${messages}th`)
    expect(messages).toBeGreaterThan(6)
  },
)

/**
 * A COMMIT, or the Sync after a statement: outside a transaction, where most of the writes are, it commits that
 * statement.
 */
function mayCommit({ direction, type }: WireMessage): boolean {
  return direction === 'frontend' && (type === 'Q' || type === 'S')
}
