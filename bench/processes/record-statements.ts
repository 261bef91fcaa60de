import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { serialize } from 'node:v8'
import pg from 'pg'
import type { RecordedStatement } from '../replay.ts'

// Loaded into the service before its program, for a run that is not timed: leaves in `RECORDED_STATEMENTS` what each
// journey sent to the database, in order, with its values. A request says in `x-journey` which one it belongs to.

const journeys = new Map<string, RecordedStatement[]>()
const current = new AsyncLocalStorage<RecordedStatement[]>()

subscribe('http.server.request.start', (message) => {
  const { request } = message as { request: IncomingMessage }
  const name = String(request.headers['x-journey'] ?? '')
  const journey = journeys.get(name) ?? []
  if (name !== '') journeys.set(name, journey)
  current.enterWith(journey)
})

const query = pg.Client.prototype.query as (...given: unknown[]) => unknown
const recording = function record(this: pg.Client, ...given: unknown[]) {
  const [first, values] = given
  const statement = typeof first === 'string' ? { text: first, values } : first
  const { name, text, values: bound } = statement as { name?: string; text?: string; values?: unknown[] }
  if (text !== undefined)
    current.getStore()?.push({ ...(name === undefined ? {} : { name }), text, values: bound ?? [] })
  return query.apply(this, given)
}
pg.Client.prototype.query = recording as typeof pg.Client.prototype.query

process.on('exit', () => {
  writeFileSync(process.env.RECORDED_STATEMENTS ?? '', serialize([...journeys.values()]))
})
