import { type CommandDeps, single } from '../db/command.ts'
import { OPERATOR } from '../passkeys/ref.ts'
import { bound } from '../platform/bound.ts'
import { notFound } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { CustomerRef } from './ref.ts'
import * as store from './store.ts'

export type { CustomerRef } from './ref.ts'
export { findCustomerId } from './store.ts'

export type CustomerDeps = Pick<CommandDeps, 'pool' | 'clock'> & { log: Log }

/** What is done to the record of a person, beside what other features make of it. */
export const createCustomerService = (deps: CustomerDeps) => bound(deps, { erase })

const OPEN = {
  cards: 'a card: delete it (POST /v1/deleteCard)',
  mandates: 'a standing mandate: cancel it (POST /v1/mandates/{id}/cancel)',
  sessions: 'an open session: revoke it, or wait until it has expired',
} as const

/**
 * Forgets who a customer is: what is left is a name of our own, amounts, and the evidence of what was approved. `name` is the merchant's
 * `user_id`, or our id. `NOT_FOUND` for no such customer; refused while something of theirs is open.
 */
export async function erase(deps: CustomerDeps, merchantId: string, name: string): Promise<CustomerRef> {
  const customerId = (await store.findCustomerId(deps.pool, { merchantId, name }))?.id
  if (customerId == null) throw notFound()
  const open = await single(deps, { name: 'customers.erase', silent: 'The merchant asked for it.' }, ({ on, at }) =>
    store.eraseCustomer(on, { merchantId, customerId, at }),
  )
  const left = (['cards', 'mandates', 'sessions'] as const).filter((what) => open?.[what])
  if (left.length > 0) {
    throw new Error(`The customer has ${left.map((what) => OPEN[what]).join('; ')}. Nothing was changed.`)
  }
  const ids = { merchant_id: merchantId, customer_id: customerId }
  deps.log.warn('the personal data of a customer were erased', { audit: 'customer_erased', actor: OPERATOR, ...ids })
  return { merchantId, customerId }
}
