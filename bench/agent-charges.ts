import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { postgresProcessesIn } from '@mintmark/embedded-postgres/processes'
import { EMBEDDED_NAME } from '../apps/server/src/commands/database.ts'
import { deriveKeys, loadRootKey } from '../apps/server/src/platform/keys.ts'
import { createLog } from '../apps/server/src/platform/log.ts'
import { createRowSeals } from '../apps/server/src/platform/row-seals.ts'
import { addAgents, setUpAgent } from './agents-past.ts'
import { copyMandates, mandateId, setUpMandate } from './charges-past.ts'
import type { HostTask } from './processes/charge-host.ts'
import { cpuMillis } from './processes/cpu.ts'
import type { LoadAnswer, LoadTask } from './processes/load.ts'
import { startWorker } from './processes/tasks.ts'
import { withService } from './service.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'
import { type Signer, USER_PLACEHOLDER, type Workload } from './workload.ts'

// node bench/agent-charges.ts                  two minutes: an agent's charge beside a merchant's, at the whole service
// (its network, workers and receipts among it), and at a host alone, with a network that answers immediately
// node bench/agent-charges.ts --at service     of the two the one; or `host`
// node bench/agent-charges.ts --rounds 20      so many pairs of measurements
// node bench/agent-charges.ts --profile FOLDER leaves a CPU profile of the host there
//
// The same host, the same database, the same mandates but for whose they are. A round measures both, one after the
// other, and each round begins with the other one: what the machine does meanwhile hits both alike. An agent's charge
// has more to do: its signature and nonce, the seal of its mandate, its owner's limits, and the payload that is
// encrypted to it.

const { values: options } = parseArgs({
  options: {
    mandates: { type: 'string', default: '10000' },
    agents: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '8' },
    callers: { type: 'string', default: '8' },
    profile: { type: 'string' },
    at: { type: 'string' },
  },
})
const [MANDATES, AGENTS] = [Number(options.mandates), Number(options.agents)]
const AIM = 0.7
const FIRST_OF_AGENTS = 50_000_001
const MAX_PATHS = 50_000
/** As many links are asked for by one address within a minute. */
const MAX_LINKED = 48

const PLACES = { service: ofWholeService, host: ofHost }
const profileDirectory = options.profile === undefined ? null : resolve(options.profile)
for (const [place, measureAt] of Object.entries(PLACES)) {
  if (options.at !== undefined && options.at !== place) continue
  const home = await mkdtemp(join(tmpdir(), 'mintmark-agent-charges-'))
  try {
    report(place, await measureAt(home))
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Mandates that were made one by one over HTTP: the network knows each. */
async function ofWholeService(home: string): Promise<Round[]> {
  return withService({ home, profileDirectory, env: { RATE_LIMIT_AGENT: '100000000' } }, async (service) => {
    const ofMerchant: string[] = []
    const agents: Awaited<ReturnType<typeof setUpAgent>>[] = []
    while (agents.length < Math.min(AGENTS, MAX_LINKED)) {
      ofMerchant.push(await setUpMandate(service))
      agents.push(await setUpAgent(service))
    }
    const merchant = workload(`Bearer ${service.secretKey}`, ofMerchant)
    const agent = workload(
      agents.map(({ signer }) => signer),
      agents.map(({ mandateId: made }) => made),
    )
    return withLoad({ ...service, home }, (measure) =>
      measureRounds(
        () => measure(merchant),
        () => measure(agent),
      ),
    )
  })
}

/** Many mandates that were copied, of a host whose network answers immediately. */
async function ofHost(home: string): Promise<Round[]> {
  const profiling = profileDirectory === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`]
  const given = await withService({ home, profileDirectory: null }, async (service) => ({
    authorization: `Bearer ${service.secretKey}`,
    mandate: await setUpMandate(service),
    agent: await setUpAgent(service),
  }))
  const server = await startEmbedded({ home, name: EMBEDDED_NAME })
  const host = startWorker<HostTask, { url: string }>('charge-host.ts', ['--max-semi-space-size=16', ...profiling])
  try {
    const { connection } = server
    const key = deriveKeys(await loadRootKey({ home, createIfMissing: false })).rowSeals
    const seals = createRowSeals({ key, log: createLog({ level: 'error' }) })
    await copyMandates(connection, seals, given.mandate, MANDATES)
    const signers = await addAgents(connection, seals, given.agent.agentId, AGENTS)
    const agents = signers.map(({ keyId }) => keyId)
    await copyMandates(connection, seals, given.agent.mandateId, MANDATES, { first: FIRST_OF_AGENTS, agents })
    const { url } = await host.run({ kind: 'charges', home, connection })
    return await withLoad({ url, pid: host.pid, home }, (measure) =>
      measureRounds(
        () => measure(ofMerchant(given.authorization)),
        () => measure(ofAgents(signers)),
      ),
    )
  } finally {
    await host.stop()
    await server.stop()
  }
}

type Measure = (workload: Workload) => Promise<Measured>

async function withLoad<T>(
  { url, pid, home }: { url: string; pid: number; home: string },
  work: (measure: Measure) => Promise<T>,
): Promise<T> {
  const load = startWorker<LoadTask, LoadAnswer>('load.ts')
  try {
    return await work(async (workload) => {
      const before = await databaseMillis(home)
      const task = { url, pid, workload, seconds: Number(options.seconds), rate: null }
      const answer = await load.run({ ...task, connections: Number(options.callers) })
      const charges = answer.perSecond * task.seconds
      return { ...answer, databaseMicros: (1000 * ((await databaseMillis(home)) - before)) / charges }
    })
  } finally {
    await load.stop()
  }
}

/** The time of all processes of the database that are there now. */
async function databaseMillis(home: string): Promise<number> {
  const pids = await postgresProcessesIn(join(home, 'postgres', 'data'))
  const millis = await Promise.all(pids.map((pid) => cpuMillis(pid).catch(() => 0)))
  return millis.reduce<number>((sum, one) => sum + (one ?? 0), 0)
}

type Measured = LoadAnswer & { databaseMicros: number }
interface Round {
  merchant: Measured
  agent: Measured
}

async function measureRounds(merchant: () => Promise<Measured>, agent: () => Promise<Measured>): Promise<Round[]> {
  await merchant()
  await agent()
  const rounds: Round[] = []
  while (rounds.length < Number(options.rounds)) {
    const isEven = rounds.length % 2 === 0
    const first = await (isEven ? merchant() : agent())
    const second = await (isEven ? agent() : merchant())
    rounds.push(isEven ? { merchant: first, agent: second } : { merchant: second, agent: first })
  }
  return rounds
}

function costOf({ cpuMicros, databaseMicros }: Measured): number {
  return (cpuMicros ?? Number.NaN) + databaseMicros
}

function report(place: string, rounds: readonly Round[]): void {
  const middle = (pick: (round: Round) => number | null) =>
    quantile(
      rounds.map((round) => pick(round) ?? Number.NaN),
      0.5,
    )
  const line = (who: keyof Round) => [
    who,
    middle((round) => round[who].perSecond).toFixed(0),
    `${middle((round) => round[who].cpuMicros).toFixed(0)} µs`,
    `${middle((round) => round[who].databaseMicros).toFixed(0)} µs`,
  ]
  const head = ['', 'charges/s', 'CPU of the host', 'of the database']
  console.log(
    `at the ${place}: ${rounds.length} rounds, ${options.callers} callers, ${AGENTS} agents, load average ${loadavg()[0]?.toFixed(2)}`,
  )
  console.log(alignColumns([head, line('merchant'), line('agent')]).join('\n'))
  const ratios = rounds.map(({ merchant, agent }) => agent.perSecond / merchant.perSecond)
  const cpu = middle(({ merchant, agent }) => costOf(merchant) / costOf(agent))
  const ratio = quantile(ratios, 0.5)
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2))
  console.log(
    `ratio ${ratio.toFixed(2)} (${least} to ${most}), by processor time ${cpu.toFixed(2)}: aim ${AIM}, ${ratio >= AIM ? 'met' : 'missed'}`,
  )
}

function ofMerchant(authorization: string): Workload {
  return workload(
    authorization,
    manyPaths(() => 1 + Math.floor(Math.random() * MANDATES)),
  )
}

/** Each path is that of a mandate of the agent whose turn it is. */
function ofAgents(signers: readonly Signer[]): Workload {
  const each = Math.floor(MANDATES / AGENTS)
  const numberOf = (index: number) => FIRST_OF_AGENTS + (index % AGENTS) + AGENTS * Math.floor(Math.random() * each)
  return workload(signers, manyPaths(numberOf))
}

function manyPaths(numberOf: (index: number) => number): string[] {
  return Array.from({ length: MAX_PATHS }, (_, index) => mandateId(numberOf(index)))
}

function workload(authorization: Workload['authorization'], mandates: readonly string[]): Workload {
  const paths = mandates.map((id) => `/v1/mandates/${id}/charge`)
  return { method: 'POST', authorization, paths, body: JSON.stringify({ amount: '0.01', reference: USER_PLACEHOLDER }) }
}
