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
import { SERVICE_FLAGS, startWorker } from './processes/tasks.ts'
import { withService } from './service.ts'
import { quantile } from './statistics.ts'
import { alignColumns } from './table.ts'
import { type Signer, USER_PLACEHOLDER, type Workload } from './workload.ts'

// node bench/agent-charges.ts                  a minute: an agent's charge beside a merchant's, with a network that answers immediately
// node bench/agent-charges.ts --rounds 20      so many pairs of measurements
// node bench/agent-charges.ts --profile FOLDER leaves a CPU profile of the host there
//
// The same host, the same database, the same mandates but for whose they are. A round measures both, one after the other, and each round begins
// with the other one: what the machine does meanwhile hits both alike. An agent's charge has more to do: its signature and nonce, the
// seal of its mandate, its owner's limits, and the payload that is encrypted to it.

const { values: options } = parseArgs({
  options: {
    mandates: { type: 'string', default: '10000' },
    agents: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '8' },
    callers: { type: 'string', default: '8' },
    profile: { type: 'string' },
  },
})
const [MANDATES, AGENTS] = [Number(options.mandates), Number(options.agents)]
const AIM = 0.7
const FIRST_OF_AGENTS = 50_000_001
const MOST_PATHS = 50_000

const home = await mkdtemp(join(tmpdir(), 'mintmark-agent-charges-'))
const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`]
try {
  const given = await withService({ home, profileDirectory: null }, async (service) => ({
    authorization: `Bearer ${service.secretKey}`,
    mandate: await setUpMandate(service),
    agent: await setUpAgent(service),
  }))
  const server = await startEmbedded({ home, name: EMBEDDED_NAME })
  const host = startWorker<HostTask, { url: string }>('charge-host.ts', [...SERVICE_FLAGS, ...profiling])
  const load = startWorker<LoadTask, LoadAnswer>('load.ts')
  try {
    const { connection } = server
    const key = deriveKeys(await loadRootKey({ home, createIfMissing: false })).rowSeals
    const seals = createRowSeals({ key, log: createLog({ level: 'error' }) })
    await copyMandates(connection, seals, given.mandate, MANDATES)
    const signers = await addAgents(connection, seals, given.agent.agentId, AGENTS)
    const agents = signers.map(({ keyId }) => keyId)
    await copyMandates(connection, seals, given.agent.mandateId, MANDATES, { first: FIRST_OF_AGENTS, agents })
    const { url } = await host.run({ kind: 'charges', home, connection })
    const measure = async (workload: Workload) => {
      const before = await databaseMillis()
      const task = { url, pid: host.pid, workload, seconds: Number(options.seconds), rate: null }
      const answer = await load.run({ ...task, connections: Number(options.callers) })
      const charges = answer.perSecond * task.seconds
      return { ...answer, databaseMicros: (1000 * ((await databaseMillis()) - before)) / charges }
    }
    report(
      await measureRounds(
        () => measure(ofMerchant(given.authorization)),
        () => measure(ofAgents(signers)),
      ),
    )
  } finally {
    await Promise.all([load.stop(), host.stop()])
    await server.stop()
  }
} finally {
  await rm(home, { recursive: true, force: true })
}

/** Of all processes of the database that are there now. */
async function databaseMillis(): Promise<number> {
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

function report(rounds: readonly Round[]): void {
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
    `${rounds.length} rounds, ${options.callers} callers, ${AGENTS} agents, load average ${loadavg()[0]?.toFixed(2)}`,
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
  return workload(authorization, () => 1 + Math.floor(Math.random() * MANDATES))
}

/** Each path is that of a mandate of the agent whose turn it is. */
function ofAgents(signers: readonly Signer[]): Workload {
  const each = Math.floor(MANDATES / AGENTS)
  return workload(signers, (index) => FIRST_OF_AGENTS + (index % AGENTS) + AGENTS * Math.floor(Math.random() * each))
}

function workload(authorization: Workload['authorization'], numberOf: (index: number) => number): Workload {
  const paths = Array.from({ length: MOST_PATHS }, (_, index) => `/v1/mandates/${mandateId(numberOf(index))}/charge`)
  return { method: 'POST', authorization, paths, body: JSON.stringify({ amount: '0.01', reference: USER_PLACEHOLDER }) }
}
