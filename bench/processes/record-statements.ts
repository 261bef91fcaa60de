import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { serialize } from 'node:v8'
import pg from 'pg'
import { Execution, Together } from '../../apps/server/src/db/prepared.ts'
import { fencesIn, type RecordedStatement } from '../replay.ts'

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
  const journey = current.getStore()
  if (journey !== undefined)
    for (const [place, { sent, isBehind }] of sentBy(given).entries())
      note(journey, sent, { isWithLast: place > 0, isBehind })
  return query.apply(this, given)
}

/** A text, a statement, or several that are sent together, and those behind them. */
function sentBy([first, values]: unknown[]): { sent: unknown; isBehind: boolean }[] {
  const sent = typeof first === 'string' ? { text: first, values } : first
  if (!(first instanceof Together)) return [{ sent, isBehind: false }]
  // It was noted with what sends it.
  if (first.isBehind) return []
  const of = ({ executions }: Together, isBehind: boolean) => executions.map((sent) => ({ sent, isBehind }))
  return [...of(first, false), ...(first.behind === undefined ? [] : of(first.behind, true))]
}

type How = Pick<RecordedStatement, 'isWithLast' | 'isBehind'>

function note(journey: RecordedStatement[], sent: unknown, how: How): void {
  const { name, text, values } = sent as { name?: string; text?: string; values?: unknown[] }
  if (text === undefined) return
  const statement: RecordedStatement = {
    ...(name === undefined ? {} : { name }),
    text,
    values: values ?? [],
    ...how,
    fences: [],
  }
  journey.push(statement)
  // The caller hears of an error; here nothing is done about it.
  if (sent instanceof Execution)
    sent.answer().then(
      (answer) => statement.fences.push(...fencesIn(answer)),
      () => undefined,
    )
}

pg.Client.prototype.query = recording as typeof pg.Client.prototype.query

process.on('exit', () => {
  writeFileSync(process.env.RECORDED_STATEMENTS ?? '', serialize([...journeys.values()]))
})
