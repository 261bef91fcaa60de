import { createHash } from 'node:crypto'
import type { Database } from '../buying/database.ts'
import type { Reply } from '../http/listen.ts'
import { AcpError } from './protocol.ts'

export const REQUEST_TABLE = `
  create table if not exists acp_requests (
    path text not null, key text not null, fingerprint text not null, status integer not null, body text not null, at integer not null,
    primary key (path, key)) strict;
`
/** The protocol asks for a day. */
const KEPT_MILLIS = 48 * 3_600_000

export interface KeyedRequest {
  path: string
  key: string
  body: unknown
}

/** An answer, and how it goes out. What is lost or garbage is kept as it should have been. */
export interface Answered {
  reply: Reply
  sent?: Reply
}

export function createIdempotency(db: Database, now: () => Date) {
  const select = db.prepare('select fingerprint, status, body from acp_requests where path = ? and key = ?')
  const insert = db.prepare(`insert into acp_requests (path, key, fingerprint, status, body, at)
    values ($path, $key, $fingerprint, $status, $body, $at)`)
  const forget = db.prepare('delete from acp_requests where at < ?')
  const inFlight = new Set<string>()

  function replayOf(request: KeyedRequest): Reply | undefined {
    const known = select.get(request.path, request.key)
    if (known === undefined) return undefined
    if (known.fingerprint !== fingerprintOf(request)) {
      const message = 'Idempotency-Key has already been used with a different request body'
      throw new AcpError(422, 'idempotency_conflict', message)
    }
    return { status: Number(known.status), headers: { 'idempotent-replayed': 'true' }, body: String(known.body) }
  }

  /** A failure of ours is not the answer: the same request is welcome again. */
  function save(request: KeyedRequest, { status, body }: Reply): void {
    if (status >= 500) return
    const { path, key } = request
    insert.run({
      path,
      key,
      fingerprint: fingerprintOf(request),
      status,
      body: JSON.stringify(body),
      at: now().getTime(),
    })
  }

  /** The first answer to a key, or what `work` does and says, which are kept together. */
  function once(request: KeyedRequest, work: () => Reply): Reply {
    return db.transaction(() => {
      const known = replayOf(request)
      if (known !== undefined) return known
      const reply = work()
      save(request, reply)
      return reply
    })
  }

  /** For work that takes its time. A crash before the answer is kept leaves work that finds out itself what was done. */
  async function onceLater(request: KeyedRequest, work: () => Promise<Answered>): Promise<Reply> {
    const known = replayOf(request)
    if (known !== undefined) return known
    const name = JSON.stringify([request.path, request.key])
    if (inFlight.has(name)) {
      throw new AcpError(
        409,
        'idempotency_in_flight',
        'A request with this Idempotency-Key is currently being processed',
      )
    }
    inFlight.add(name)
    try {
      const { reply, sent = reply } = await work()
      save(request, reply)
      return sent
    } finally {
      inFlight.delete(name)
    }
  }

  return { once, onceLater, forgetOld: () => forget.run(now().getTime() - KEPT_MILLIS) }
}

export type Idempotency = ReturnType<typeof createIdempotency>

function fingerprintOf({ body }: KeyedRequest): string {
  return createHash('sha256').update(canonical(body)).digest('base64')
}

/** Equal for bodies that differ in the order of members only. A null is something else than no member. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}
