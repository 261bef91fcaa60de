import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runningConnection } from '@mintmark/embedded-postgres'
import type { Pool, PoolClient } from 'pg'
import { type ChargeDeps, createChargeService } from '../apps/server/src/charges/service.ts'
import { openStanding } from '../apps/server/src/charges/standing-store.ts'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { createEventSink } from '../apps/server/src/events/service.ts'
import { createMandateService, sealedMandate } from '../apps/server/src/mandates/service.ts'
import type { CardNetwork } from '../apps/server/src/network/port.ts'
import { addSeconds } from '../apps/server/src/platform/clock.ts'
import { newId, newOrderedId } from '../apps/server/src/platform/ids.ts'
import { createLocalKeyProvider } from '../apps/server/src/platform/key-provider.ts'
import { deriveKeys, loadRootKey } from '../apps/server/src/platform/keys.ts'
import { createLog } from '../apps/server/src/platform/log.ts'
import { createRowSeals, type RowSeals } from '../apps/server/src/platform/row-seals.ts'
import { secret } from '../apps/server/src/platform/secret.ts'
import { createVault } from '../apps/server/src/vault/service.ts'
import { type BenchedService, withService } from './service.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'
import { SESSION_BODY } from './workload.ts'

// node bench/charges.ts                     a minute: charges of standing mandates, with a network that answers immediately
// node bench/charges.ts --mandates 1000000  over that many mandates
// node bench/charges.ts --seconds 5         each measurement for that long
//
// The service's own code without HTTP: two statements and a sealed credential each. Beside it a bare loop that sends the first
// of the two statements alone, as quickly as the same number of clients can.

const { values: options } = parseArgs({
  options: { mandates: { type: 'string', default: '10000' }, seconds: { type: 'string', default: '2' } },
})
const MANDATES = Number(options.mandates)
const SECONDS = Number(options.seconds)
const ROUNDS = 3
const CALLERS = [1, 8, 32]
const COPIES_AT_A_TIME = 5_000
const clock = { now: () => new Date() }

const CREDENTIAL = {
  ...{ token: secret('4895370000000008'), dynamicCvv: secret('123'), expiryMonth: '12', expiryYear: '2099' },
  validUntil: addSeconds(clock.now(), 30 * 24 * 60 * 60),
}
/** Answers at the next turn of the loop. */
const NETWORK = { mint: async () => ({ outcome: 'ok', value: CREDENTIAL }) } as unknown as CardNetwork

let bareCharges = 0

const home = await mkdtemp(join(tmpdir(), 'mintmark-bench-'))
try {
  await withService({ home, profileDirectory: null }, run)
} finally {
  await rm(home, { recursive: true, force: true })
}

async function run(service: BenchedService): Promise<void> {
  const connection = await runningConnection(home, EMBEDDED_NAME)
  if (connection === undefined) throw new Error('The service runs without its embedded database.')
  const pool = createPool({ connection, max: Math.max(...CALLERS), log: { warn: console.warn } })
  try {
    const rootKey = await loadRootKey({ home, createIfMissing: false })
    const log = createLog({ level: 'error' })
    const seals = createRowSeals({ key: deriveKeys(rootKey).rowSeals, log })
    const mandates = await copyMandates(pool, seals, await setUpMandate(service))
    const common = { pool, clock, events: createEventSink({ environment: 'sandbox' }), seals, log, leaseSeconds: 5 }
    const vault = createVault({
      ...{ keys: createLocalKeyProvider(rootKey), fingerprintKey: deriveKeys(rootKey).fingerprints, pool },
      network: NETWORK,
    })
    const deps: ChargeDeps = {
      ...common,
      vault,
      network: NETWORK,
      mandates: createMandateService({ ...common, network: NETWORK }),
    }
    await measureAll(service.merchantId, deps, mandates)
  } finally {
    await closePool(pool)
  }
}

/** One mandate, set up as a merchant does. */
async function setUpMandate({ url, secretKey }: BenchedService): Promise<string> {
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`)
    return JSON.parse(text) as { session_id: string; mandate_id: string }
  }
  const body = { ...JSON.parse(SESSION_BODY), user_id: 'owner', total_amount: '9999999999.99' }
  const session = await post('/v1/sessions', { ...body, mandate_setup: { recurring_frequency: 'yearly' } })
  await post(`/v1/test_helpers/sessions/${session.session_id}/complete`, {})
  return session.mandate_id
}

/** Many like it, each with a seal of its own. */
async function copyMandates(pool: Pool, seals: RowSeals, template: string): Promise<string[]> {
  const { rows } = await pool.query(
    `select m.*, c.network_token_ref from mandates m join cards c on c.merchant_id = m.merchant_id and c.id = m.card_id
     where m.id = $1`,
    [template],
  )
  const row = rows[0]
  const ids = Array.from({ length: MANDATES }, () => newOrderedId('mandate', clock.now()))
  for (let from = 0; from < ids.length; from += COPIES_AT_A_TIME) {
    const copies = ids.slice(from, from + COPIES_AT_A_TIME).map((id) => {
      const sealed = sealedMandate({
        ...{ merchantId: row.merchant_id, id, tokenRef: row.network_token_ref, approvedMinor: row.approved_minor },
        ...{ currency: row.currency, frequency: row.frequency, maxCharges: row.max_charges },
        ...{ merchantScope: row.merchant_scope, payeeName: row.payee_name, payeeUrl: row.payee_url },
        ...{ payeeNetworkName: row.payee_network_name, payeeCountry: row.payee_country },
        ...{ validUntil: row.valid_until, approvalHash: row.approval_hash },
      })
      return { id, seal: `\\x${seals.seal(sealed).toString('hex')}` }
    })
    await pool.query(
      `insert into mandates select (jsonb_populate_record(m, copy)).* from mandates m, jsonb_array_elements($2::jsonb) copy
       where m.id = $1`,
      [template, JSON.stringify(copies)],
    )
  }
  await pool.query('analyze mandates')
  return ids
}

type Step = (mandateId: string) => Promise<unknown>

async function measureAll(merchantId: string, deps: ChargeDeps, mandates: readonly string[]): Promise<void> {
  const charges = createChargeService(deps)
  const request = { amountMinor: 1n, payee: null, products: [], isDry: false }
  const serve: Step = async (mandateId) => {
    const { status } = await charges.charge({ merchantId }, mandateId, { ...request, reference: newId('order') })
    if (status !== 'awaiting_result') throw new Error(`A charge is ${status}.`)
  }
  const table = [['', 'callers', 'service', 'statement', 'ratio', 'p50', 'p99']]
  for (const [name, chosen] of [
    [`${mandates.length} mandates`, mandates],
    ['one mandate', mandates.slice(0, 1)],
  ] as const) {
    for (const callers of CALLERS) {
      const rates: { service: number[]; bare: number[]; waits: number[] } = { service: [], bare: [], waits: [] }
      for (let round = 0; round <= ROUNDS; round += 1) {
        const served = await measure(callers, chosen, async () => ({ step: serve, end: () => undefined }))
        const bare = await measure(callers, chosen, () => bareStep(deps, merchantId))
        // Left alone, the worker would ask the network for these.
        await deps.pool.query(`delete from open_work where kind = 'charge' and id like 'txn_bare%'`)
        // The first round warms up.
        if (round === 0) continue
        rates.service.push(served.perSecond)
        rates.bare.push(bare.perSecond)
        rates.waits.push(...served.waits)
      }
      const [service, bare] = [quantile(rates.service, 0.5), quantile(rates.bare, 0.5)]
      const waits = [0.5, 0.99].map((share) => `${quantile(rates.waits, share).toFixed(1)} ms`)
      table.push([name, String(callers), service.toFixed(0), bare.toFixed(0), (service / bare).toFixed(2), ...waits])
    }
  }
  console.log(alignColumns(table).join('\n'))
}

async function bareStep({ pool, seals }: ChargeDeps, merchantId: string): Promise<{ step: Step; end: () => void }> {
  const client: PoolClient = await pool.connect()
  const sealed = seals.seal({ table: 'charges', merchantId, id: 'txn_bare', parts: [] })
  const NOTHING = { windowFrom: null, windowStartsAt: null, windowEndsAt: null, payeeName: null, payeeUrl: null }
  const step: Step = async (mandateId) => {
    bareCharges += 1
    const at = clock.now()
    const opened = await openStanding(client, {
      ...{ ...NOTHING, payeeNetworkName: null, payeeCountry: null, payeeCategoryCode: null, payeeCategory: null },
      ...{ merchantId, mandateId, chargeId: `txn_bare${process.pid}-${bareCharges}`, lineItemId: 'tli_bare' },
      ...{ reference: `bare-${process.pid}-${bareCharges}`, amountMinor: 1n, merchantAllowed: true, products: [] },
      ...{ wholeCurrencies: [], chargeSeal: sealed, at, leaseUntil: addSeconds(at, 20) },
    })
    if (opened?.refusal !== null) throw new Error(`A charge was refused: ${opened?.refusal}.`)
  }
  return { step, end: () => client.release() }
}

async function measure(
  callers: number,
  mandates: readonly string[],
  start: () => Promise<{ step: Step; end: () => void }>,
): Promise<{ perSecond: number; waits: number[] }> {
  const steps = await Promise.all(Array.from({ length: callers }, start))
  const waits: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + SECONDS * 1000
  const loop = async ({ step }: { step: Step }) => {
    while (performance.now() < endsAt) {
      const from = performance.now()
      await step(mandates[Math.floor(Math.random() * mandates.length)] ?? '')
      waits.push(performance.now() - from)
    }
  }
  await Promise.all(steps.map(loop))
  for (const { end } of steps) end()
  return { perSecond: waits.length / ((performance.now() - startedAt) / 1000), waits }
}
