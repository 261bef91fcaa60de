import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
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
import { SERVICE_FLAGS, startWorker } from './processes/tasks.ts'
import { withService } from './service.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'
import { type Signer, USER_PLACEHOLDER, type Workload } from './workload.ts'

// node bench/agent-charges.ts                  a minute: an agent's charge beside a merchant's, with a network that answers immediately
// node bench/agent-charges.ts --rounds 20      so many rounds
// node bench/agent-charges.ts --before FOLDER  beside the same host of another checkout of the same schema, such as the commit before
// node bench/agent-charges.ts --profile FOLDER leaves a CPU profile of the host there
//
// The same database, and the same mandates but for whose they are. A round measures each host with each caller, one after the other, and each
// round begins with the next of them: what the machine does meanwhile hits all alike. An agent's charge has more to do: its signature and
// nonce, the seal of its mandate, its owner's limits, and the payload that is encrypted to it.

const { values: options } = parseArgs({
  options: {
    mandates: { type: 'string', default: '10000' },
    agents: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '8' },
    callers: { type: 'string', default: '8' },
    before: { type: 'string' },
    profile: { type: 'string' },
  },
})
const [MANDATES, AGENTS] = [Number(options.mandates), Number(options.agents)]
const AIM = 0.7
const FIRST_OF_AGENTS = 50_000_001
const MAX_PATHS = 50_000

const WHO = ['merchant', 'agent'] as const
const COSTS = {
  'charges/s': ({ perSecond }: Measured) => perSecond,
  'CPU of the host, µs': ({ cpuMicros }: Measured) => cpuMicros ?? Number.NaN,
  'of the database, µs': ({ databaseMicros }: Measured) => databaseMicros,
  'of both, µs': ({ cpuMicros, databaseMicros }: Measured) => (cpuMicros ?? Number.NaN) + databaseMicros,
}

const home = await mkdtemp(join(tmpdir(), 'mintmark-agent-charges-'))
const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`]
try {
  const given = await withService({ home, profileDirectory: null }, async (service) => ({
    authorization: `Bearer ${service.secretKey}`,
    mandate: await setUpMandate(service),
    agent: await setUpAgent(service),
  }))
  const server = await startEmbedded({ home, name: EMBEDDED_NAME })
  const hosts = Object.entries(hostFiles(options.before)).map(([version, file]) => ({
    version: version as Version,
    worker: startWorker<HostTask, { url: string }>(file, [...SERVICE_FLAGS, ...(version === 'now' ? profiling : [])]),
  }))
  const load = startWorker<LoadTask, LoadAnswer>('load.ts')
  try {
    const { connection } = server
    const key = deriveKeys(await loadRootKey({ home, createIfMissing: false })).rowSeals
    const seals = createRowSeals({ key, log: createLog({ level: 'error' }) })
    await copyMandates(connection, seals, given.mandate, MANDATES)
    const signers = await addAgents(connection, seals, given.agent.agentId, AGENTS)
    const agents = signers.map(({ keyId }) => keyId)
    await copyMandates(connection, seals, given.agent.mandateId, MANDATES, { first: FIRST_OF_AGENTS, agents })
    const workloads = { merchant: ofMerchant(given.authorization), agent: ofAgents(signers) }
    const turns: Turn[] = []
    for (const { version, worker } of hosts) {
      const { url } = await worker.run({ kind: 'charges', home, connection })
      for (const who of WHO) {
        const task = { url, pid: worker.pid, workload: workloads[who], seconds: Number(options.seconds), rate: null }
        const measure = async () => {
          const before = await databaseMillis()
          const answer = await load.run({ ...task, connections: Number(options.callers) })
          const charges = answer.perSecond * task.seconds
          return { ...answer, databaseMicros: (1000 * ((await databaseMillis()) - before)) / charges }
        }
        turns.push({ name: `${version} ${who}`, measure })
      }
    }
    report(await measureRounds(turns))
  } finally {
    await Promise.all([load.stop(), ...hosts.map(({ worker }) => worker.stop())])
    await server.stop()
  }
} finally {
  await rm(home, { recursive: true, force: true })
}

/** Processor time of all processes of the database that are there now. */
async function databaseMillis(): Promise<number> {
  const pids = await postgresProcessesIn(join(home, 'postgres', 'data'))
  const millis = await Promise.all(pids.map((pid) => cpuMillis(pid).catch(() => 0)))
  return millis.reduce<number>((sum, one) => sum + (one ?? 0), 0)
}

type Version = 'now' | 'before'
type Who = (typeof WHO)[number]
type Name = `${Version} ${Who}`
type Measured = LoadAnswer & { databaseMicros: number }
type Round = Partial<Record<Name, Measured>>
interface Turn {
  name: Name
  measure(): Promise<Measured>
}

function hostFiles(before: string | undefined): Partial<Record<Version, string>> {
  const now = 'charge-host.ts'
  return before === undefined ? { now } : { now, before: pathToFileURL(resolve(before, 'bench/processes', now)).href }
}

/** Each round begins with another turn. A first pass warms up, and is not counted. */
async function measureRounds(turns: readonly Turn[]): Promise<Round[]> {
  for (const { measure } of turns) await measure()
  const rounds: Round[] = []
  while (rounds.length < Number(options.rounds)) {
    const first = rounds.length % turns.length
    const round: Round = {}
    for (const { name, measure } of [...turns.slice(first), ...turns.slice(0, first)]) round[name] = await measure()
    rounds.push(round)
  }
  return rounds
}

type Cost = (measured: Measured) => number

function report(rounds: readonly Round[]): void {
  console.log(
    `${rounds.length} rounds, ${options.callers} callers, ${AGENTS} agents, load average ${loadavg()[0]?.toFixed(2)}`,
  )
  console.log(alignColumns([['', ...Object.keys(COSTS)], ...costsOf(rounds), ...changesOf(rounds)]).join('\n'))
  const ratios = pairsOf(rounds, 'now agent', 'now merchant', COSTS['charges/s'])
  const ratio = quantile(ratios, 0.5)
  const cpu = quantile(pairsOf(rounds, 'now merchant', 'now agent', COSTS['of both, µs']), 0.5)
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2))
  console.log(
    `ratio ${ratio.toFixed(2)} (${least} to ${most}), by processor time ${cpu.toFixed(2)}: aim ${AIM}, ${ratio >= AIM ? 'met' : 'missed'}`,
  )
}

function costIn(round: Round, name: Name, cost: Cost): number {
  const measured = round[name]
  return measured === undefined ? Number.NaN : cost(measured)
}

function pairsOf(rounds: readonly Round[], one: Name, other: Name, cost: Cost): number[] {
  return rounds.map((round) => costIn(round, one, cost) / costIn(round, other, cost))
}

function costsOf(rounds: readonly Round[]): string[][] {
  const middle = (name: Name) => (cost: Cost) =>
    quantile(
      rounds.map((round) => costIn(round, name, cost)),
      0.5,
    ).toFixed(0)
  return Object.keys(rounds[0] ?? {}).map((name) => [name, ...Object.values(COSTS).map(middle(name as Name))])
}

function changesOf(rounds: readonly Round[]): string[][] {
  if (options.before === undefined) return []
  const change = (who: Who) => (cost: Cost) =>
    quantile(pairsOf(rounds, `now ${who}`, `before ${who}`, cost), 0.5).toFixed(2)
  return WHO.map((who) => [`${who}, now of before`, ...Object.values(COSTS).map(change(who))])
}

function ofMerchant(authorization: string): Workload {
  return workload(authorization, () => 1 + Math.floor(Math.random() * MANDATES))
}

/** Each path is that of a mandate of the agent whose turn it is. */
function ofAgents(signers: readonly Signer[]): Workload {
  const each = Math.floor(MANDATES / AGENTS)
  return workload(signers, (index) => FIRST_OF_AGENTS + (index % AGENTS) + AGENTS * Math.floor(Math.random() * each))
}

function workload(authorization: Workload['authorization'], numberOf: (index: number) => number): Workload {
  const paths = Array.from({ length: MAX_PATHS }, (_, index) => `/v1/mandates/${mandateId(numberOf(index))}/charge`)
  return { method: 'POST', authorization, paths, body: JSON.stringify({ amount: '0.01', reference: USER_PLACEHOLDER }) }
}
