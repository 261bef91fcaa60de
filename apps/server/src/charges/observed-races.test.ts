// Guarantee: facts of the network are recorded once and end alike, in whatever order and however often they come, over
// several nodes; with the messages cut off the list of news brings them, and with both cut off nothing is guessed.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  authorization,
  countBy,
  dbRow,
  eventBodies,
  manyAtOnce,
  paymentResult,
  waitingSession,
} from '../../test/flows.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { newOwner, type Owner } from '../mandates/testing/standing.ts'
import type { CapableNetwork } from '../network/capabilities.ts'
import type { FactKind, NetworkEvents, NetworkFact } from '../network/events-port.ts'
import { addSeconds } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import type { ChargeDeps } from './deps.ts'
import { recordFacts } from './observed.ts'
import { lapsing } from './testing/lapse.ts'
import { paidAt, settling } from './testing/observed.ts'
import { chargeable } from './testing/standing.ts'

/** What stands between the service and the network's words. */
let isSilent = false
const muted = (events: NetworkEvents | undefined): NetworkEvents => {
  if (events === undefined) throw new Error('The network tells nothing.')
  const unless =
    <Request, Answer>(ask: (request: Request) => Promise<Answer>) =>
    async (request: Request): Promise<Answer | { outcome: 'unknown'; cause: string }> =>
      isSilent ? { outcome: 'unknown', cause: 'cut off' } : ask(request)
  return { receive: unless(events.receive), observed: unless(events.observed), listNews: unless(events.listNews) }
}

let service: TestService
let others: TestService[]
let merchant: TestMerchant
let owner: Owner
let at: ReturnType<typeof lapsing>
beforeAll(async () => {
  const options = {
    env: PATIENT,
    createNetwork: (simulated: CapableNetwork) => ({ ...simulated, events: muted(simulated.events) }),
  }
  service = await startTestService(options)
  others = await Promise.all([1, 2].map(() => startTestService({ ...options, database: service.database })))
  merchant = service.merchant
  owner = await newOwner(service)
  at = lapsing([service, ...others], merchant, owner)
})
afterAll(async () => {
  await Promise.all((others ?? []).map((other) => other.close()))
  await service?.close()
})

const nodes = () => [service, ...others]
const depsOf = ({ app }: TestService): ChargeDeps =>
  ({
    ...{ ...app.parts.common, ...app.parts.work, mandates: app.mandates, networkEvents: null },
    following: { paidWhen: 'captured', capturesLater: false },
    log: createLog({ level: 'silent' }),
  }) as unknown as ChargeDeps
const SHOP = 'SHOP EXAMPLE'

/** Eight facts of one payment of 25.00. */
function factsOf(txn: string, now: Date): NetworkFact[] {
  const told: [FactKind, number][] = [
    ...([
      ['declined', 2_600],
      ['authorized', 2_500],
      ['captured', 1_000],
      ['captured', 500],
    ] as const),
    ...([
      ['reversed', 1_000],
      ['refunded', 300],
      ['refunded', 200],
      ['disputed', 1_500],
    ] as const),
  ].map(([kind, minor]) => [kind, minor])
  return told.map(([kind, minor], index) => ({
    ...{ factId: `${txn}_${index}`, kind, merchant: SHOP, occurredAt: addSeconds(now, index) },
    amount: { minor: BigInt(minor), currency: 'USD' },
  }))
}

function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((one) => [Math.random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one)
}

/** Asked again while another holds the charge, as the worker does. */
async function delivered(node: TestService, ref: Parameters<typeof recordFacts>[1], facts: NetworkFact[]) {
  for (;;) {
    const became = await recordFacts(depsOf(node), ref, facts)
    if (became.state !== 'busy') return became
    await delay(5)
  }
}

describe('facts', () => {
  test('64 deliveries of 8 facts, shuffled over three nodes, end alike', { timeout: 60_000 }, async () => {
    const ends: unknown[] = []
    for (let round = 0; round < 4; round += 1) {
      const { id: mandateId, txn: chargeId } = await at.charged()
      const ref = { merchantId: merchant.merchantId, chargeId, mandateId }
      const facts = factsOf(chargeId, service.clock.now())
      const deliveries = shuffled(Array.from({ length: 8 }, () => facts).flat())
      const became = await manyAtOnce(64, (index) =>
        delivered(nodes()[index % 3] as TestService, ref, [deliveries[index] as NetworkFact]),
      )
      expect(countBy(became, ({ state }) => state)).toEqual({ recorded: 64 })
      const events = (await eventBodies(service, chargeId)).map((body) => JSON.parse(body))
      const { status, counted_minor, paid_minor, version } = await at.rowOf(chargeId)
      expect(events.map(({ resource }) => resource.version)).toEqual(Array.from({ length: 8 }, (_, index) => index + 2))
      const mandate = (await merchant.get(`/v1/mandates/${mandateId}`)).body
      ends.push({
        ...{ status, counted_minor, version, paid: paid_minor > 0n },
        ...{ spent: mandate.spent, remaining: mandate.remaining, charges: mandate.chargeCount },
        types: events.map(({ type }) => type).toSorted(),
        facts: (await service.pool.query('select kind from network_facts where charge_id = $1 order by id', [chargeId]))
          .rows,
      })
    }
    expect(ends[0]).toMatchObject({ status: 'completed', counted_minor: 1_500n, spent: '15.00', remaining: '85.00' })
    for (const end of ends) expect(end).toEqual(ends[0])
  })

  test('of 48 callers with the same facts one writes them', async () => {
    const { id: mandateId, txn: chargeId } = await at.charged()
    const ref = { merchantId: merchant.merchantId, chargeId, mandateId }
    const facts = factsOf(chargeId, service.clock.now())
    await manyAtOnce(48, (index) => delivered(nodes()[index % 3] as TestService, ref, shuffled(facts)))
    expect(await dbRow(service, 'select count(*)::int from network_facts where charge_id = $1', [chargeId])).toEqual({
      count: 8,
    })
    expect((await at.typesOf(chargeId)).length).toBe(8)
    expect((await merchant.get(`/v1/mandates/${mandateId}`)).body).toMatchObject({ spent: '15.00', chargeCount: 1 })
  })

  test('a fact that names another charge, or a charge of another account, moves nothing', async () => {
    const [one, other] = [await at.charged(), await at.charged()]
    const facts = factsOf(one.txn, service.clock.now())
    const strange = [
      { merchantId: merchant.merchantId, chargeId: one.txn, mandateId: other.id },
      { merchantId: (await service.addMerchant()).merchantId, chargeId: one.txn, mandateId: one.id },
    ]
    for (const ref of strange) expect(await recordFacts(depsOf(service), ref, facts)).toEqual({ state: 'gone' })
    expect(await dbRow(service, 'select count(*)::int from network_facts where charge_id = $1', [one.txn])).toEqual({
      count: 0,
    })
  })
})

describe('the list of news', () => {
  const captureUnheard = (authorizationId: string) =>
    service.app.parts.network.followUp({ authorizationId, kind: 'captured', amountMinor: null, isPartial: false })

  test('brings what no message told, within an interval', async () => {
    const { id, made, txn } = await at.charged()
    await paidAt(service, merchant, made)
    const { authorization_id: authorizationId } = await dbRow(
      service,
      'select authorization_id from simnet.authorizations where charge_id = $1',
      [txn],
    )
    await captureUnheard(authorizationId)
    // Messages are cut off for an hour; nothing was told so far.
    await at.advance(3_600)
    for (const node of nodes()) await node.runJobs()
    expect((await at.rowOf(txn)).status).toBe('completed')
    expect((await merchant.get(`/v1/mandates/${id}`)).body).toMatchObject({ spent: '25.00' })
  })

  test('one process reads it in an interval, and none before', async () => {
    const readAt = async () => (await dbRow(service, "select asked_at from network_reads where name = 'news'")).asked_at
    await at.advance(120)
    await Promise.all(nodes().map((node) => node.job('charges.pull_news').run()))
    const before = await readAt()
    await at.advance(10)
    await Promise.all(nodes().map((node) => node.job('charges.pull_news').run()))
    expect(await readAt()).toEqual(before)
  })
})

describe('with both cut off', () => {
  test('no time makes an end of a payment; when the network is heard again nothing is lost', async () => {
    const { id, item } = await waitingSession(merchant)
    const { body } = await merchant.post('/v1/test_helpers/authorizations', authorization(item))
    const standing = await at.charged()
    const bank = await paidAt(service, merchant, standing.made)
    isSilent = true
    try {
      await settling(merchant, body.authorization_id)('captured')
      await bank('captured')
      await at.advance(1_000)
      await service.runJobs()
      const { status, transactions } = (await paymentResult(merchant, id)).body
      expect(status).toBe('awaiting_result')
      expect(JSON.stringify(transactions)).not.toContain(item.token)
      await at.passLapse(standing.txn)
      await service.runJobs()
      await at.advance(2 * 24 * 60 * 60)
      await service.runJobs()
      expect((await at.rowOf(standing.txn)).status).toBe('awaiting_result')
      expect(await at.typesOf(standing.txn)).toEqual(['2 payment.credentials_ready'])
    } finally {
      isSilent = false
    }
    await at.advance(120)
    await service.runJobs()
    expect((await paymentResult(merchant, id)).body.status).toBe('completed')
    expect((await at.rowOf(standing.txn)).status).toBe('completed')
  })
})

test('a setting completes what is authorized', async () => {
  const node = await startTestService({
    env: { ...PATIENT, NETWORK_PAID_WHEN: 'authorized' },
    database: service.database,
  })
  try {
    const id = await chargeable(service, owner, { frequency: 'yearly' })
    const made = await merchant.post(`/v1/mandates/${id}/charge`, { amount: '25.00' })
    await paidAt(service, merchant, made)
    await at.advance(120)
    await node.clock.refresh()
    await node.runJobs()
    expect((await at.rowOf(made.body.transactionId)).status).toBe('completed')
  } finally {
    await node.close()
  }
})
