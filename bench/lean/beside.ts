import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedConnection, runningConnection } from '@mintmark/embedded-postgres'
import { Client } from 'pg'
import { setUpMandate } from '../charges-past.ts'
import type { HostTask } from '../processes/charge-host.ts'
import type { LeanAnswer, LeanTask } from '../processes/lean-host.ts'
import { SERVICE_FLAGS, startWorker, type Worker } from '../processes/tasks.ts'
import { type BenchedService, withService } from '../service.ts'
import { postmasterOf } from './processor-time.ts'

/** A program that is measured. All are on the one PostgreSQL server, each in a database of its own unless it shares one. */
export interface Contender {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly secretKey: string
  /** To charge: a program that only pays has none, and one that only charges has nothing else. */
  readonly mandates: readonly string[]
  readonly pays: boolean
  /** Null: it shares one. */
  readonly database: string | null
  /** What it has asked of its database so far, where it counts that. */
  count(): Promise<LeanAnswer['counted'] | null>
}

export interface Contenders {
  readonly list: readonly Contender[]
  readonly postmaster: number
  readonly connection: EmbeddedConnection
}

const DATABASE = 'mintmark'
const TWIN = 'twin'
const LEAN = 'lean'

export interface Beside {
  readonly home: string
  /** So many mandates to charge. */
  readonly mandates: number
  /** A second copy of the service shows what is noise; one of another checkout, what has changed since. */
  readonly twin: { readonly name: string; readonly checkout?: string }
}

/** Work beside the lean program, the service, a second one like it, and its charges without its network. The lean one is the first. */
export async function startBeside<T>(beside: Beside, work: (contenders: Contenders) => Promise<T>): Promise<T> {
  const { home, twin } = beside
  return withService({ home, profileDirectory: null }, async (service) => {
    const connection = await runningConnection(home, DATABASE)
    if (connection === undefined) throw new Error('The service runs without its embedded database.')
    const charges = startWorker<HostTask, { url: string }>('charge-host.ts', SERVICE_FLAGS)
    const lean = startWorker<LeanTask, LeanAnswer>('lean-host.ts', SERVICE_FLAGS)
    try {
      const mandates = await setUpMandates(service, beside.mandates)
      const list = [
        await leanContender(lean, connection, mandates.length),
        serviceContender('service', service, mandates),
        await chargeContender(charges, { home, service, connection, mandates }),
      ]
      const all = { connection, postmaster: await postmasterOf(home) }
      return await withTwin(home, connection, twin, (other) => work({ list: [...list, other], ...all }))
    } finally {
      await Promise.all([charges, lean].map((worker) => worker.stop()))
    }
  })
}

/** With a home of its own, and a database of its own on the same server. */
async function withTwin<T>(
  home: string,
  connection: EmbeddedConnection,
  { name, checkout }: Beside['twin'],
  work: (twin: Contender) => Promise<T>,
): Promise<T> {
  const twinHome = join(home, 'twin')
  await mkdir(twinHome)
  const env = { DATABASE_URL: await urlOfNew(connection, TWIN) }
  const options = { home: twinHome, profileDirectory: null, env, ...(checkout === undefined ? {} : { checkout }) }
  return withService(options, (twin) => work(serviceContender(name, twin, [])))
}

async function urlOfNew(connection: EmbeddedConnection, database: string): Promise<string> {
  const admin = new Client({ ...connection, database: 'postgres' })
  await admin.connect()
  await admin.query(`create database ${database}`)
  await admin.end()
  const { user, password, host, port } = connection
  return `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

async function setUpMandates(service: BenchedService, count: number): Promise<string[]> {
  const mandates: string[] = []
  for (let number = 0; number < count; number += 1) mandates.push(await setUpMandate(service))
  return mandates
}

function serviceContender(name: string, service: BenchedService, mandates: readonly string[]): Contender {
  const database = name === 'service' ? DATABASE : TWIN
  const { url, pid, secretKey } = service
  return { name, url, pid, secretKey, mandates, pays: true, database, count: async () => null }
}

interface Charging {
  home: string
  service: BenchedService
  connection: EmbeddedConnection
  mandates: readonly string[]
}

async function chargeContender(
  host: Worker<HostTask, { url: string }>,
  { home, service: { secretKey }, connection, mandates }: Charging,
): Promise<Contender> {
  const { url } = await host.run({ kind: 'charges', home, connection })
  const name = 'service, network in memory'
  return { name, url, pid: host.pid, secretKey, mandates, pays: false, database: null, count: async () => null }
}

async function leanContender(
  host: Worker<LeanTask, LeanAnswer>,
  connection: EmbeddedConnection,
  length: number,
): Promise<Contender> {
  const mandates = Array.from({ length }, (_, number) => `mdt_${number}`)
  const { url, secretKey } = await host.run({ kind: 'start', connection: { ...connection, database: LEAN }, mandates })
  const count = async () => (await host.run({ kind: 'count' })).counted
  return { name: LEAN, url, pid: host.pid, secretKey, mandates, pays: true, database: LEAN, count }
}
