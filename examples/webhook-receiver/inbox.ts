import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { MintmarkEvent } from '@mintmark/node'

/**
 * Every event once, on disk before it is acknowledged. Deliveries and the feed write to the same table, so it does not
 * matter which of them brings an event first, or how often. A shop has such a table in the database of its orders.
 */
export function openInbox(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(join(directory, 'inbox.db'))
  // `synchronous = full`: what was acknowledged survives a loss of power, not only a crash of this process.
  db.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table if not exists events (
      number integer primary key, id text not null unique, body text not null, done integer not null default 0);
    create index if not exists events_open on events (number) where done = 0;
    create table if not exists payments (id text primary key, status text not null, amount text not null, version integer not null);
    create table if not exists settings (name text primary key, value text not null);`)
  const insert = db.prepare('insert into events (id, body) values (?, ?) on conflict (id) do nothing')
  const oldestOpen = db.prepare('select number, body from events where done = 0 order by number limit 1')
  const finish = db.prepare('update events set done = 1 where number = ?')
  const countAll = db.prepare('select count(*) as stored, count(*) filter (where done = 0) as waiting from events')
  // A newer version of a payment stays when an older event comes after it: order is not promised by deliveries.
  const savePayment = db.prepare(`insert into payments (id, status, amount, version) values (?, ?, ?, ?)
    on conflict (id) do update set status = excluded.status, version = excluded.version where excluded.version > version`)
  const payments = db.prepare('select id, status, amount from payments order by id')
  const readSetting = db.prepare('select value from settings where name = ?')
  const saveSetting = db.prepare('insert or replace into settings (name, value) values (?, ?)')

  const add = (event: MintmarkEvent): boolean => insert.run(event.id, JSON.stringify(event)).changes === 1

  function transaction<T>(work: () => T): T {
    db.exec('begin immediate')
    try {
      const result = work()
      db.exec('commit')
      return result
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }

  return {
    /** Whether it is new. When this returns, the event is safe. */
    add,
    /** A page of the feed and its cursor, or neither of them. Returns how many events were new. */
    addPage: (events: MintmarkEvent[], cursor: string): number =>
      transaction(() => {
        saveSetting.run('cursor', cursor)
        return events.filter(add).length
      }),
    cursor: (): string => String(readSetting.get('cursor')?.value ?? '0'),
    /** Does the work of the oldest open event and closes it, both or neither. Undefined: there is none. */
    workOff: (work: (event: MintmarkEvent) => void): MintmarkEvent | undefined =>
      transaction(() => {
        const row = oldestOpen.get()
        if (row === undefined) return undefined
        const event = JSON.parse(String(row.body)) as MintmarkEvent
        work(event)
        finish.run(row.number ?? null)
        return event
      }),
    savePayment: (id: string, status: string, amount: string, version: number) =>
      savePayment.run(id, status, amount, version),
    summary: () => ({ ...countAll.get(), payments: payments.all() }),
    setting: (name: string): string | undefined => readSetting.get(name)?.value?.toString(),
    saveSetting: (name: string, value: string) => saveSetting.run(name, value),
    close: () => db.close(),
  }
}

export type Inbox = ReturnType<typeof openInbox>
