// Guarantee: whatever happens at the same moment, on however many nodes, a card that is not kept is deleted once, never while
// a payment needs it, and one that is kept meanwhile stays.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { atOnce, authorization, CARDS, countBy, dbRow, newUser, paymentResult } from '../../test/flows.ts'
import { startTestNodes, type TestService } from '../../test/service.ts'
import { onNodes } from '../charges/testing/charge.ts'
import type { Job } from '../jobs/loop.ts'
import { deleteCard, eventsAbout } from './testing/enrolled.ts'
import * as once from './testing/once.ts'
import { approve, cardOf, GONE, payOnce, reportItem, standing, type Visit } from './testing/once.ts'

const { service, nodes, nodeAt: node, close } = await startTestNodes()
afterAll(close)
const merchants = onNodes(service.merchant, nodes)

const at = (index: number) => merchants[index % merchants.length] ?? service.merchant
/** A payment at one of the nodes; all are of one merchant. */
const visit = (index = 0, options: { user?: string; authenticator?: Visit['authenticator'] } = {}) =>
  once.visit(node(index), { merchant: at(index), ...options })

const deletions = (of: TestService): Job => of.job('cards.delete')

/** One round of it, to its end. */
async function deleteDue(of: TestService): Promise<void> {
  const job = deletions(of)
  await job.run()
  await job.settled?.()
}

/** The workers that delete cards, of all nodes, as long as `work` lasts. */
async function withWorkers<T>(work: () => Promise<T>): Promise<T> {
  let over = false
  const worker = async (of: TestService) => {
    while (!over) {
      await deleteDue(of)
      // As a loop sleeps; no verdict hangs on how long.
      await delay(5)
    }
  }
  const working = work().finally(() => {
    over = true
  })
  const [done] = await Promise.all([working, ...nodes.map(worker)])
  return done
}

/** Everything has ended that time ends, and workers have seen it. */
async function settle(seconds = 120): Promise<void> {
  await service.clock.advance(seconds)
  await Promise.all(nodes.map(({ clock }) => clock.refresh()))
  for (const each of nodes) await each.runJobs()
}

test('workers of three nodes delete a card once', async () => {
  const visitors = await atOnce(6, (index) => visit(index))
  const ids = await Promise.all(
    visitors.map(async (visitor) => {
      const id = await payOnce(service, visitor)
      await reportItem(service.merchant, visitor.sessionId)
      return id
    }),
  )
  await atOnce(6, (index) => deleteDue(node(index)))
  for (const id of ids) {
    expect(await standing(service, id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
    expect(await eventsAbout(service, id)).toHaveLength(1)
  }
})

test('one that the network does not delete yet keeps no other waiting', async () => {
  const ids = await Promise.all(
    [0, 1].map(async () => {
      const visitor = await visit()
      const id = await payOnce(service, visitor)
      await reportItem(service.merchant, visitor.sessionId)
      return id
    }),
  )
  const [hanging = '', other = ''] = ids
  const client = await service.pool.connect()
  try {
    await client.query('begin')
    await client.query(`select 1 from simnet.tokens where card_id = $1 or card_id like $1 || '.%' for update`, [
      hanging,
    ])
    await deletions(service).run()
    await expect.poll(() => standing(service, other)).toMatchObject(GONE)
    // The one that hangs has begun as well, perhaps a moment later: the two are in hand side by side.
    await expect
      .poll(() => standing(service, hanging))
      .toMatchObject({ status: 'active', ending_reason: 'JUST_ONCE', work: 1 })
  } finally {
    await client.query('rollback')
    client.release()
  }
  await deletions(service).settled?.()
  expect(await standing(service, hanging)).toMatchObject(GONE)
})

test('16 entries of one number in one payment: one card, for this once unless one of them kept it', async () => {
  const [alone, mixed] = [await visit(), await visit()]
  const enter = (visitor: Visit, once: (index: number) => boolean) =>
    atOnce(16, (index) => visitor.enter(CARDS.success, { once: once(index) }))
  expect(countBy(await enter(alone, () => true), ({ status }) => status)).toEqual({ 200: 16 })
  expect(countBy(await enter(mixed, (index) => index % 2 === 0), ({ status }) => status)).toEqual({ 200: 16 })
  const [first, second] = [await cardOf(service, alone.sessionId), await cardOf(service, mixed.sessionId)]
  expect(await standing(service, first)).toMatchObject({
    once_sessions: [alone.sessionId],
    tokens: ['active'],
    work: 1,
  })
  expect(await standing(service, second)).toMatchObject({ once_sessions: null, is_default: true, tokens: ['active'] })
  await Promise.all([alone, mixed].map(({ page }) => page.post('/api/cancel')))
  await settle(15 * 60)
  expect(await standing(service, first)).toMatchObject({ ...GONE, tokens: ['deleted'] })
  expect(await standing(service, second)).toMatchObject({ status: 'active', work: 0 })
})

test.each([true, false])(
  'the end of one payment while the same card is entered in another, once: %s',
  async (isOnce) => {
    const people = await atOnce(6, async (index) => {
      const user = newUser()
      const first = await visit(index, { user })
      const id = await payOnce(service, first)
      return { index, id, first, second: await visit(index, { user, authenticator: first.authenticator }) }
    })
    await withWorkers(() =>
      Promise.all(
        people.map(async ({ index, id, first, second }) => {
          const [entered] = await Promise.all([
            second.enter(CARDS.success, { once: isOnce }),
            reportItem(at(index + 2), first.sessionId),
          ])
          // Deleted before, between or after, the cardholder of the second notices nothing.
          expect(entered.body).toMatchObject({ step: 'approval', card: { card_id: id }, card_once: isOnce })
          expect((await approve(second)).body).toMatchObject({ outcome: 'approved' })
        }),
      ),
    )
    await settle()
    for (const { id, second } of people) {
      // Its payment goes on: the credential can be spent, and reported.
      const { body } = await paymentResult(service.merchant, second.sessionId)
      const item = body.transactions[0].line_items[0]
      const spent = await service.merchant.post('/v1/test_helpers/authorizations', authorization(item))
      expect(spent.body).toMatchObject({ approved: true })
      expect((await standing(service, id)).status).toBe('active')
      await reportItem(service.merchant, second.sessionId)
    }
    await settle()
    for (const { id } of people) {
      const left = await standing(service, id)
      const events = await eventsAbout(service, id)
      const live = left.tokens.filter((state: string) => state === 'active')
      if (isOnce) expect(left).toMatchObject(GONE)
      else expect(left).toMatchObject({ status: 'active', once_sessions: null, is_default: true, work: 0 })
      expect(live).toHaveLength(isOnce ? 0 : 1)
      // One for each enrollment that has ended, and no other.
      expect(events).toHaveLength(left.tokens.length - live.length)
    }
  },
)

test('deletions by the merchant beside those of the workers have one effect and one result', async () => {
  const people = await atOnce(6, async (index) => {
    const visitor = await visit(index)
    return { index, user: visitor.user, sessionId: visitor.sessionId, id: await payOnce(service, visitor) }
  })
  await withWorkers(() =>
    Promise.all(
      people.map(async ({ index, user, sessionId, id }) => {
        // At the same moment as the report: each takes what it locks in the order in which the other does.
        const [deleted] = await Promise.all([
          atOnce(6, (other) => deleteCard(at(index + other), user, id, { reason: 'LOST' })),
          reportItem(at(index), sessionId),
        ])
        const result = { success: true, card_id: id, was_default: false, network_token_deleted: true }
        for (const { status, body } of deleted) expect({ status, body }).toEqual({ status: 200, body: result })
      }),
    ),
  )
  for (const { id } of people) {
    const { deletion_reason, ...left } = await standing(service, id)
    expect(left).toMatchObject({ ...GONE, tokens: ['deleted'] })
    const [event, ...more] = await eventsAbout(service, id)
    expect(more).toEqual([])
    // The reason of the first who began it, here and there.
    expect(['LOST', 'JUST_ONCE']).toContain(deletion_reason)
    expect(event.data.reason).toBe(deletion_reason)
  }
  const { deadlocks } = await dbRow(
    service,
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  expect(deadlocks).toBe(0)
})

test('many cards of many merchants that are due go in rounds of a bounded size', async () => {
  const visitors = await atOnce(30, (index) => visit(index))
  const ids = await Promise.all(
    visitors.map(async (visitor) => {
      await visitor.enter()
      const id = await cardOf(service, visitor.sessionId)
      await visitor.page.post('/api/cancel')
      return id
    }),
  )
  const job = deletions(service)
  const rounds: number[] = []
  for (let taken = -1; taken !== 0; rounds.push(taken)) taken = (await job.run()).taken
  await job.settled?.()
  expect(Math.max(...rounds)).toBeLessThanOrEqual(20)
  for (const id of ids) expect((await standing(service, id)).status).toBe('deleted')
})
