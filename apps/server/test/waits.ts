import { Client } from 'pg'
import { Together } from '../src/db/prepared.ts'

/** One message to the database that is waited for. */
export interface Wait {
  /** The statement's, or those of all that are sent together; where there is none, how the text begins. */
  name: string
  /** It is the simulated network's, not the service's. */
  ofNetwork: boolean
}

/** Neither is part of a request: a new connection is tried out, and the clock is read once a second. */
const NOT_COUNTED = /pg_is_in_recovery|from sandbox_clock/

/** What is sent in one message, each transaction of it: `a, b; c`. */
export function namesTogether(sent: unknown): string | undefined {
  if (!(sent instanceof Together)) return undefined
  const names = ({ executions }: Together) => executions.map(({ name }) => name).join(', ')
  return sent.behind === undefined ? names(sent) : `${names(sent)}; ${names(sent.behind)}`
}

/** Writes down every message of this process to the database, in order. */
export function recordWaits(): { take(): Wait[]; stop(): void } {
  const { query } = Client.prototype
  let waits: Wait[] = []
  const lastOf = new WeakMap<Client, Wait>()
  const recording = function record(this: Client, ...given: unknown[]): unknown {
    const [first] = given
    const { name, text = '' } = (typeof first === 'string' ? { text: first } : first) as {
      name?: string
      text?: string
    }
    // What another sends behind itself is no wait of its own.
    const isBehind = first instanceof Together && first.isBehind
    if (text !== '' && !NOT_COUNTED.test(text) && !isBehind) {
      const wait = {
        name: namesTogether(first) ?? name ?? text.trim().slice(0, 40),
        ofNetwork: text.includes('simnet.'),
      }
      waits.push(wait)
      const last = lastOf.get(this)
      // BEGIN belongs to the first statement after it, COMMIT to the last one before it.
      if (last?.name === 'begin') last.ofNetwork = wait.ofNetwork
      if (/^(?:commit|rollback)$/.test(wait.name)) wait.ofNetwork = last?.ofNetwork ?? false
      lastOf.set(this, wait)
    }
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  }
  Client.prototype.query = recording as typeof query
  return {
    take() {
      const taken = waits
      waits = []
      return taken
    },
    stop() {
      Client.prototype.query = query
    },
  }
}
