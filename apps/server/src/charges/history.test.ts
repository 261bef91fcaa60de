// Guarantee: whatever callers on several nodes do to one mandate at once, with time passing and holders of work dying, the
// history can be explained: a simple model of one mandate, played in some order that fits what each caller saw.
import { afterAll, expect, test } from 'vitest'
import { EVENTS } from '../../test/events.ts'
import { atOnce, CARDS, dbRow } from '../../test/flows.ts'
import { randomOf } from '../../test/random.ts'
import { startTestNodes, type TestMerchant } from '../../test/service.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { charge, chargeable, expectBalanced, onNodes, outcomeOf, reportCharge } from './testing/charge.ts'

const DAY = 24 * 60 * 60
/** `HISTORY=long` plays the long form; with every run of the tests goes the short one. */
const IS_LONG = process.env.HISTORY === 'long'
const CLIENTS = IS_LONG ? 8 : 4
const STEPS = IS_LONG ? 12 : 6
/** `HISTORY_SEED` plays one again; how the machine interleaves it is not in the seed. */
const SEED = Number(process.env.HISTORY_SEED ?? Date.now() % 1_000_000)

const { service, others, nodes: services, close } = await startTestNodes({})
afterAll(close)
const nodes = onNodes(service.merchant, services)

/** One thing that a caller did, and what they were told. */
interface Act {
  what: 'charge' | 'report' | 'pause' | 'resume'
  from: number
  to: number
  outcome: string
  txn?: string
  reference?: string | undefined
}

/** Between two phases days pass, and windows end: a charge in the air then is one window's here and another's there. */
async function play(mandateId: string, seed: number, phases: number): Promise<Act[]> {
  const acts: Act[] = []
  const known: string[] = []
  const timed = async (what: Act['what'], work: () => Promise<Partial<Act> & { outcome: string }>) => {
    const from = performance.now()
    const told = await work()
    acts.push({ what, from, to: performance.now(), ...told })
  }
  const move = (what: 'pause' | 'resume', as: TestMerchant) =>
    timed(what, async () => ({ outcome: String((await as.post(`/v1/mandates/${mandateId}/${what}`)).status) }))
  const chargeAs = (as: TestMerchant, amount: string, reference?: string) =>
    timed('charge', async () => {
      const answer = await charge(as, mandateId, { amount, ...(reference && { reference }) })
      const txn = answer.body.transactionId
      if (typeof txn === 'string' && answer.body.status === 'awaiting_result') known.push(txn)
      return { outcome: outcomeOf(answer), txn, reference }
    })
  const client = async (index: number) => {
    const random = randomOf(seed + index)
    const node = () => nodes[random(nodes.length)] ?? service.merchant
    for (let step = 0; step < STEPS; step += 1) {
      const roll = random(100)
      if (roll < 50) {
        // Few references, so that they meet.
        const reference = random(3) === 0 ? undefined : `r-${random(6)}`
        await chargeAs(node(), `${1 + random(9)}.00`, reference)
      } else if (roll < 80) {
        const txn = known[random(Math.max(1, known.length))]
        if (txn === undefined) continue
        const outcome = random(3) === 0 ? 'APPROVED' : 'DECLINED'
        await timed('report', async () => {
          const { status, body } = await reportCharge(node(), mandateId, txn, outcome)
          return { outcome: status === 200 ? `${outcome} ${body.status}` : body.error.code, txn }
        })
      } else if (roll < 90) {
        const what = random(2) === 0 ? 'pause' : 'resume'
        await move(what, node())
      } else if (roll < 94) {
        await advance(1 + random(20))
      } else if (roll < 97) {
        // As if every holder of a charge had died: one that lives writes nothing any more.
        await service.pool.query(
          'update charges set lease_until = null, lease_fence = lease_fence + 1 where lease_until is not null',
        )
      } else await service.runJobs()
    }
  }
  for (let phase = 0; phase < phases; phase += 1) {
    // Wherever the phase before has left it, there is something to charge; and something is, before a client may pause it.
    await move('resume', service.merchant)
    await chargeAs(service.merchant, '1.00')
    await atOnce(CLIENTS, (index) => client(index + phase * CLIENTS))
    await settle(mandateId)
    await advance(3 * DAY)
  }
  return acts
}

async function advance(seconds: number): Promise<void> {
  await service.clock.advance(seconds)
  await Promise.all(others.map(({ clock }) => clock.refresh()))
}

/** No client acts: what is open is driven to its end. */
async function settle(mandateId: string): Promise<void> {
  const open = `select 1 from charges where standing_mandate_id = $1 
    and (status = 'minting' or (status = 'awaiting_result' and reported_outcome is not null))`
  for (let round = 0; (await service.pool.query(open, [mandateId])).rowCount !== 0; round += 1) {
    expect(round, 'a charge stays open').toBeLessThan(20)
    await advance(31)
    await service.runJobs()
  }
}

/** Told to the caller that made a charge; `completed` when another one was quicker to report it. */
const MADE: ReadonlySet<string> = new Set(['awaiting_result', 'completed'])

/** A charge that was accepted while, as its caller could know, the mandate was paused. */
function chargedWhilePaused(acts: readonly Act[]): Act[] {
  const moves = acts.filter(({ what, outcome }) => (what === 'pause' || what === 'resume') && outcome === '200')
  const accepted = acts.filter(({ what, outcome }) => what === 'charge' && MADE.has(outcome))
  return accepted.filter((one) =>
    moves.some(
      (pause) =>
        pause.what === 'pause' &&
        pause.to < one.from &&
        // No resume that may have come between.
        !moves.some((resume) => resume.what === 'resume' && resume.to > pause.from && resume.from < one.to),
    ),
  )
}

async function checkHistory(mandateId: string, acts: readonly Act[]): Promise<void> {
  const accepted = acts.filter(({ what, outcome }) => what === 'charge' && MADE.has(outcome))
  expect(new Set(accepted.map(({ txn }) => txn)).size, 'one caller only is told that a charge is new').toBe(
    accepted.length,
  )
  expect(chargedWhilePaused(acts)).toEqual([])
  const { rows } = await service.pool.query(
    `select c.id, c.reference, c.status, c.failure_code, c.version, c.reported_outcome, n.state as minted, n.confirmed_outcome,
       n.credential_state, array(select e.type from ${EVENTS} e where e.resource_id = c.id order by e.resource_version) as events,
       array(select e.resource_version from ${EVENTS} e where e.resource_id = c.id order by e.resource_version) as versions
     from charges c left join simnet.mints n on n.charge_id = c.id where c.standing_mandate_id = $1`,
    [mandateId],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  // What a caller was told is there, with the reference it was told for.
  for (const { txn, reference, what } of acts) {
    if (typeof txn !== 'string') continue
    expect(byId.has(txn)).toBe(true)
    if (what === 'charge' && reference !== undefined) expect(byId.get(txn)?.reference).toBe(reference)
  }
  for (const row of rows) {
    expect(row.status, 'nothing stays open').not.toBe('minting')
    // The network and the service say the same of each: minted unless failed before, confirmed as it was reported.
    if (row.status !== 'failed') expect(row.minted).toBe('minted')
    if (row.status === 'completed') expect(row.confirmed_outcome).toBe('APPROVED')
    if (row.status === 'failed' && row.minted === 'minted') expect(row.confirmed_outcome).toBe('DECLINED')
    const last = {
      awaiting_result: 'payment.credentials_ready',
      completed: 'payment.succeeded',
      failed: 'payment.failed',
    }
    expect(row.events.filter((type: string) => type !== 'charge.report_overdue').at(-1)).toBe(
      last[row.status as keyof typeof last],
    )
    expect(new Set(row.events).size).toBe(row.events.length)
    expect(row.versions.at(-1)).toBe(row.version)
  }
  const live = rows.filter((row) => row.status !== 'failed' && row.reference !== null)
  expect(new Set(live.map((row) => row.reference)).size, 'one live charge a reference').toBe(live.length)
  // Every outcome that a caller was told is the one that was kept.
  for (const { what, outcome, txn } of acts) {
    if (what !== 'report' || !outcome.includes(' ')) continue
    const [reported, status] = outcome.split(' ')
    expect(byId.get(txn)).toMatchObject({ reported_outcome: reported, status })
  }
  await expectBalanced(service, mandateId)
}

test.each([
  ['weekly', CARDS.success, null, 4],
  ['weekly', CARDS.success, 12, 4],
  // Each charge is asked for twice, a second apart.
  ['monthly', CARDS.mintRequestLost, null, 1],
  ['monthly', CARDS.confirmationFailsOnce, null, 3],
] as const)('%s, card %s, at most %s charges', async (frequency, card, maxCharges, phases) => {
  const owner = await newOwner(service, service.merchant, card)
  const id = await chargeable(service, owner, { frequency, maxCharges, approvedMinor: 3_000n })
  const acts = await play(id, SEED, phases)
  const told = { seed: SEED, acts: acts.length, outcomes: [...new Set(acts.map(({ outcome }) => outcome))].sort() }
  // PAYMENT_FAILED: its holder died, and it was paused before the network had answered any caller.
  const known =
    /^(?:awaiting_result|completed|deduplicated|THRESHOLD_EXCEEDED|MAX_CHARGES_EXCEEDED|MANDATE_NOT_ACTIVE|NO_TOKEN|PAYMENT_DECLINED|PAYMENT_FAILED|CHARGE_NOT_REPORTABLE|NETWORK_CONFIRMATION_FAILED|(?:APPROVED completed|DECLINED failed)|200|409)$/
  expect(
    told.outcomes.filter((outcome) => !known.test(outcome)),
    JSON.stringify(told),
  ).toEqual([])
  expect(
    (await dbRow(service, 'select count(*)::int as made from charges where standing_mandate_id = $1', [id])).made,
  ).toBeGreaterThan(0)
  await checkHistory(id, acts).catch((error: unknown) => {
    throw new Error(`The history of seed ${SEED} cannot be explained: ${JSON.stringify(told)}`, { cause: error })
  })
})
