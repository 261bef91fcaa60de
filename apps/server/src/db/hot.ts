import type { ClientBase, Pool } from 'pg'
import { prepareEachNew, QUERY_TIMEOUT_MILLIS } from './pool.ts'
import { Preparation, type Wire } from './prepared.ts'
import { STATEMENTS, type Statement } from './statement.ts'

/**
 * What a payment, a charge of a mandate, their reports, a deposit and an order ask on their way, where nothing goes
 * wrong.
 */
export const HOT_STATEMENTS: ReadonlySet<string> = new Set([
  'agents.authenticate',
  'cards.find_begun',
  'carts.list_priced',
  'carts.lock',
  'charges.claim_minting',
  'charges.claim_report',
  'charges.open_of_agent',
  'charges.open_standing',
  'charges.update_minted',
  'charges.update_paid',
  'charges.update_standing_minted',
  'charges.update_standing_paid',
  'events.insert',
  'ledger.insert_transfer',
  'limits.take_points',
  'merchants.find_key',
  'orders.find_parties',
  'orders.insert',
  'payments.accept_card',
  'payments.approve',
  'payments.approve_quoted',
  'payments.ask',
  'payments.find',
  'payments.find_on_surface',
  'payments.find_registered',
  'payments.find_signed',
  'payments.find_to_register',
  'payments.find_to_sign',
  'payments.insert_entered_card',
  'payments.insert_first_passkey',
  'payments.update_card',
  'sessions.insert_payment',
  'sessions.insert_plain_payment',
  'sessions.insert_quoted_payment',
  'stock.update_taken',
])

/** Connections that a process opens before it takes its first request. */
const MAX_OPENED_AHEAD = 4

/**
 * From now on a new connection of the pool is lent with the hot statements parsed and planned: a plan is most of what
 * the first payment on it would wait for. Opens some connections. To be called when the schema is there.
 */
export async function prepareAhead(pool: Pool): Promise<void> {
  prepareEachNew(pool, preparing([...STATEMENTS.values()].filter(({ name }) => HOT_STATEMENTS.has(name))))
  const count = Math.min(MAX_OPENED_AHEAD, pool.options.max)
  // All at once, so that each is another one. One that cannot be opened now is opened by who needs it, or is not.
  const opened = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()))
  for (const one of opened) if (one.status === 'fulfilled') one.value.release()
}

/**
 * Two messages for all: each statement is parsed under the name that its executions use, and planned by EXPLAIN, which
 * keeps the plan and executes nothing. A statement that cannot be prepared (the schema is another release's) is no
 * reason to lend no connection: each is then prepared when it is first executed.
 */
function preparing(statements: readonly Statement[]) {
  const plans = statements.map(planOf).join(';')
  return async (client: ClientBase) => {
    try {
      const preparation = new Preparation(statements, QUERY_TIMEOUT_MILLIS)
      // The driver's types know texts only.
      client.query(preparation as never)
      await preparation.done()
      await client.query(plans)
    } catch {
      await forget(client, statements)
    }
  }
}

async function forget(client: ClientBase, statements: readonly Statement[]): Promise<void> {
  await client.query('deallocate all')
  const { parsedStatements } = (client as ClientBase & { connection: Wire }).connection
  for (const { name } of statements) delete parsedStatements[name]
}

function planOf({ name, parameters }: Statement): string {
  const values = parameters.length === 0 ? '' : `(${parameters.map(() => 'null').join(', ')})`
  return `explain (costs off) execute "${name}"${values}`
}
