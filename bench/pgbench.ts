import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EmbeddedConnection } from '@mintmark/embedded-postgres'
import { STATEMENTS } from '../apps/server/src/db/statement.ts'

/** Statements of the service, a transaction together, as pgbench sends them: several in one message, and their COMMIT in another. */
export interface PgbenchScript {
  connection: EmbeddedConnection
  home: string
  statements: readonly string[]
  /** SQL for each parameter. It may use pgbench's variables: `:client_id`, and what `before` sets. */
  values: Readonly<Record<string, string>>
  /** Meta commands that run before the statements. */
  before: readonly string[]
}

interface Load {
  clients: number
  seconds: number
  variables: Readonly<Record<string, number>>
}

export interface PgbenchRun {
  perSecond: number
  transactions: number
}

const COMMAND = process.env.PGBENCH ?? 'pgbench'

/** Null: there is none. The embedded PostgreSQL has none; packages of distributions do. */
export async function pgbenchVersion(): Promise<string | null> {
  const found = await promisify(execFile)(COMMAND, ['--version']).catch(() => null)
  return found?.stdout.trim() ?? null
}

/** Every client waits for its answer before it sends the next one, over prepared statements. */
export async function runPgbench(script: PgbenchScript, load: Load): Promise<PgbenchRun> {
  const sent = script.statements.map((statement) => `${sentAs(statement, script.values)};`)
  const transaction = sent.length === 1 ? sent : ['\\startpipeline', 'begin;', ...sent, '\\endpipeline', 'commit;']
  const lines = [...script.before, ...transaction]
  return runPgbenchText(script, `${lines.join('\n')}\n`, load)
}

/** Any script: what it sends is one unit of work. */
export async function runPgbenchText(
  { connection, home }: Pick<PgbenchScript, 'connection' | 'home'>,
  text: string,
  { clients, seconds, variables }: Load,
): Promise<PgbenchRun> {
  const { host, port, user, password, database } = connection
  const file = join(home, 'pgbench.sql')
  await writeFile(file, text)
  const named = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`])
  const threads = String(Math.min(clients, 2))
  // It takes no others.
  const wholeSeconds = String(Math.max(1, Math.round(seconds)))
  const options = ['-n', '-M', 'prepared', '-c', String(clients), '-j', threads, '-T', wholeSeconds, '-f', file]
  const env = { PATH: process.env.PATH, PGPASSWORD: password, PGOPTIONS: '-c enable_seqscan=off' }
  const where = ['-h', host, '-p', String(port), '-U', user, database]
  const { stdout } = await promisify(execFile)(COMMAND, [...options, ...named, ...where], { env })
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN)
  return {
    perSecond: number(/^tps = ([\d.]+) /m),
    transactions: number(/^number of transactions actually processed: (\d+)/m),
  }
}

/** A statement of the service with SQL in place of its parameters. */
export function sentAs(name: string, values: Readonly<Record<string, string>>): string {
  const statement = STATEMENTS.get(name)
  if (statement === undefined) throw new Error(`There is no statement ${name}.`)
  return statement.text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const parameter = statement.parameters[Number(number) - 1]?.name ?? ''
    const value = values[parameter]
    if (value === undefined) throw new Error(`${name} has no value for ${parameter}.`)
    return `(${value})`
  })
}
