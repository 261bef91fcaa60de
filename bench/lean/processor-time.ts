import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Nanoseconds on a processor so far, by thread. Linux counts them for each. */
type Spent = ReadonlyMap<string, number>

export interface Watched {
  /** The program under test. */
  readonly pid: number
  /** The first process of its PostgreSQL server. */
  readonly postmaster: number
}

export interface Used {
  readonly node: Spent
  readonly postgres: Spent
}

export async function readUsed({ pid, postmaster }: Watched): Promise<Used> {
  const [node, servers] = await Promise.all([threadsOf(pid), childrenOf(postmaster)])
  const each = await Promise.all([postmaster, ...servers].map(threadsOf))
  return { node, postgres: new Map(each.flatMap((threads) => [...threads])) }
}

/** In microseconds. What a thread used that has ended meanwhile is lost; connections last as long as the benchmark. */
export function usedSince(before: Used, after: Used): { node: number; postgres: number } {
  return { node: added(before.node, after.node), postgres: added(before.postgres, after.postgres) }
}

function added(before: Spent, after: Spent): number {
  let nanos = 0
  for (const [thread, spent] of after) nanos += spent - (before.get(thread) ?? 0)
  return nanos / 1_000
}

async function threadsOf(pid: number): Promise<Spent> {
  const folder = `/proc/${pid}/task`
  const threads = await readdir(folder).catch(() => [])
  const spent = await Promise.all(threads.map((thread) => nanosOf(join(folder, thread, 'schedstat'))))
  return new Map(threads.map((thread, place) => [thread, spent[place] ?? 0]))
}

async function nanosOf(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '0')
  return Number(text.split(' ')[0])
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}

/** The first process of the server that keeps its data in this folder. */
export async function postmasterOf(home: string): Promise<number> {
  return Number((await readFile(join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
}
