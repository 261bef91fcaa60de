import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PRODUCTS } from '../catalog/products.ts'

/** The last four digits of a card that paid are kept, and nothing of its CVV and expiry. */
const SCHEMA = `
  create table if not exists stock (
    variant_id text primary key, available integer not null check (available >= 0)) strict;
  create table if not exists quotes (
    ref text primary key, request text not null, lines text not null, address text, warnings text not null,
    items integer not null, shipping integer not null, tax integer not null, discount integer not null, total integer not null,
    expires_at integer not null,
    check (items + shipping + tax - discount = total)) strict;
  create table if not exists checkouts (
    ref text primary key, request text not null, quote text not null references quotes (ref), total integer not null,
    state text not null
      check (state in ('refused', 'open', 'in_progress', 'paid', 'declined', 'needs_human', 'released')),
    reason text, reserved_until integer not null, tries integer not null default 0, asked integer not null default 0,
    last4 text, order_id text unique, authorization_code text,
    check ((state = 'paid') = (order_id is not null))) strict;
  create index if not exists checkouts_reserved on checkouts (reserved_until) where state = 'open';
`

/**
 * The shop's tables. `synchronous = full`: what was answered survives a loss of power. `locking_mode = exclusive`: one process at a
 * time, so that a payment that is under way at the start belongs to a process that is gone; the system gives the lock back
 * when a process dies. `secure_delete = on`: what is erased is not there any more.
 */
export function openDatabase(home: string, schema = '') {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(join(home, 'shop.db'), { readBigInts: true, timeout: 1_000 })
  db.exec(
    'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma secure_delete = on;',
  )
  db.exec(`begin immediate; ${SCHEMA} ${schema} commit;`)
  const stocked = db.prepare('insert into stock (variant_id, available) values (?, ?) on conflict do nothing')

  let isInside = false
  /** All of it or nothing. One inside another is part of it. */
  function transaction<T>(work: () => T): T {
    if (isInside) return work()
    db.exec('begin immediate')
    isInside = true
    try {
      const result = work()
      db.exec('commit')
      return result
    } catch (error) {
      if (db.isTransaction) db.exec('rollback')
      throw error
    } finally {
      isInside = false
    }
  }

  transaction(() => {
    for (const { variants } of PRODUCTS) for (const { id, stock } of variants) stocked.run(id, stock)
  })
  return { prepare: (sql: string) => db.prepare(sql), transaction, close: () => db.close() }
}

export type Database = ReturnType<typeof openDatabase>
