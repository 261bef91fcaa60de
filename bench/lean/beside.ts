import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedConnection, runningConnection } from '@mintmark/embedded-postgres'
import { setUpMandate } from '../charges-past.ts'
import type { HostTask } from '../processes/charge-host.ts'
import type { LeanAnswer, LeanTask } from '../processes/lean-host.ts'
import { startWorker, type Worker } from '../processes/tasks.ts'
import { type BenchedService, withService } from '../service.ts'
import { postmasterOf } from './processor-time.ts'

/** A program that is measured. All are on the one PostgreSQL server, each in a database of its own. */
export interface Contender {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly secretKey: string
  /** To charge; of a program that only pays there are none, and of one that only charges there is nothing else. */
  readonly mandates: readonly string[]
  readonly pays: boolean
  /** What it has asked of its database so far, where it counts that. */
  count(): Promise<LeanAnswer['counted'] | null>
}

export interface Contenders {
  readonly list: readonly Contender[]
  readonly postmaster: number
  readonly connection: EmbeddedConnection
}

const DATABASE = 'mintmark'
/** As `bin/mintmark` starts the service. */
const FLAGS = ['--max-semi-space-size=16']

/** Work beside the service, a second one like it, the service's charges without its network, and the lean program. */
export async function startBeside<T>(
  home: string,
  count: number,
  work: (contenders: Contenders) => Promise<T>,
): Promise<T> {
  return withService({ home, profileDirectory: null }, async (service) => {
    const connection = await runningConnection(home, DATABASE)
    if (connection === undefined) throw new Error('The service runs without its embedded database.')
    const twinHome = join(home, 'twin')
    await mkdir(twinHome)
    const env = { DATABASE_URL: await urlOfNew(connection, 'twin') }
    return withService({ home: twinHome, profileDirectory: null, env }, async (twin) => {
      const charges = startWorker<HostTask, { url: string }>('charge-host.ts', FLAGS)
      const lean = startWorker<LeanTask, LeanAnswer>('lean-host.ts', FLAGS)
      try {
        const mandates = await setUpMandates(service, count)
        const list = [
          await leanContender(lean, { ...connection, database: 'lean' }, mandates.length),
          serviceContender('service', service, mandates),
          serviceContender('service again', twin, []),
          await chargeContender(charges, { home, service, connection, mandates }),
        ]
        return await work({ list, connection, postmaster: await postmasterOf(home) })
      } finally {
        await Promise.all([charges.stop(), lean.stop()])
      }
    })
  })
}

async function urlOfNew(connection: EmbeddedConnection, database: string): Promise<string> {
  const { Client } = await import('pg')
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
  const { url, pid, secretKey } = service
  return { name, url, pid, secretKey, mandates, pays: true, count: async () => null }
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
  return { name, url, pid: host.pid, secretKey, mandates, pays: false, count: async () => null }
}

async function leanContender(
  host: Worker<LeanTask, LeanAnswer>,
  connection: EmbeddedConnection,
  length: number,
): Promise<Contender> {
  const mandates = Array.from({ length }, (_, number) => `mdt_${number}`)
  const { url, secretKey } = await host.run({ kind: 'start', connection, mandates })
  const count = async () => (await host.run({ kind: 'count' })).counted
  return { name: 'lean', url, pid: host.pid, secretKey, mandates, pays: true, count }
}
