import { type Change, type CommandDeps, command } from '../db/command.ts'
import { OPERATOR } from '../passkeys/ref.ts'
import { bound } from '../platform/bound.ts'
import { waitAway } from '../platform/bounds.ts'
import { notFound } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { CustomerRef } from './ref.ts'
import * as store from './store.ts'

export type { CustomerRef } from './ref.ts'
export { findCustomerId, listNamed, updateVersion as nextVersion } from './store.ts'

/** What another feature knows of a person who is being forgotten, and ends with it. */
export type OnErased = (change: Change, erased: CustomerRef) => Promise<void>

export interface CustomerDeps extends CommandDeps {
  log: Log
  onErased: readonly OnErased[]
}

/** What is done to the record of a person, beside what other features make of it. */
export const createCustomerService = (deps: CustomerDeps) => bound(deps, { erase })

const OPEN = {
  cards: 'a card: delete it (POST /v1/deleteCard)',
  enteredCards: 'a card that the network has not accepted yet: wait, it is gone a day after it was entered',
  mandates: 'a standing mandate: cancel it (POST /v1/mandates/{id}/cancel)',
  setups: 'a standing mandate that is not set up yet: wait for the end of its session and for the network',
  sessions: 'an open session: revoke it, or wait until it has expired',
} as const
const KINDS = ['cards', 'enteredCards', 'mandates', 'setups', 'sessions'] as const satisfies (keyof typeof OPEN)[]

/**
 * Forgets who a customer is: what is left is a name of our own, amounts, and the evidence of what was approved. `name` is the merchant's
 * `user_id`, or our id. `NOT_FOUND` for no such customer; refused while something of theirs is open.
 */
export async function erase(deps: CustomerDeps, merchantId: string, name: string): Promise<CustomerRef> {
  const customerId = await theOneNamed(deps, merchantId, name)
  const open = await command(deps, { name: 'customers.erase', silent: 'logged' }, async ({ tx, at }) => {
    const left = await store.eraseCustomer(tx, { merchantId, customerId, at })
    if (namesOf(left) === null) for (const end of deps.onErased) await end({ tx, at }, { merchantId, customerId })
    return left
  })
  const left = namesOf(open)
  if (left !== null) throw new Error(`The customer has ${left}. Nothing was changed.`)
  const ids = { merchant_id: merchantId, customer_id: customerId }
  deps.log.warn('the personal data of a customer were erased', { audit: 'customer_erased', actor: OPERATOR, ...ids })
  await lookAgain(deps, merchantId, customerId)
  return { merchantId, customerId }
}

/** Statements that knew the customer by their old name are over by then, on a database that answers at all. */
const LOOK_AGAIN_MILLIS = 500

/** What was begun while the customer was erased may lead to a card, and its merchant's name for them leads to it no more. */
async function lookAgain({ pool }: CustomerDeps, merchantId: string, customerId: string): Promise<void> {
  await waitAway(LOOK_AGAIN_MILLIS)
  const begun = namesOf(await store.findOpen(pool, { merchantId, customerId }))
  if (begun === null) return
  throw new Error(
    `The personal data of the customer were erased. At that moment somebody began something of theirs: ${begun}. ` +
      `Erase ${customerId} when that has ended.`,
  )
}

/** Words for what has still to end; null: nothing has. */
function namesOf(open: Partial<Record<keyof typeof OPEN, boolean>> | null | undefined): string | null {
  const left = KINDS.filter((what) => open?.[what])
  return left.length === 0 ? null : left.map((what) => OPEN[what]).join('; ')
}

/** A merchant may have given one customer a `user_id` that is our id of another. The service does not guess which of them to forget for good. */
async function theOneNamed({ pool }: CustomerDeps, merchantId: string, name: string): Promise<string> {
  const [found, other] = await store.listNamed(pool, { merchantId, name })
  if (found === undefined) throw notFound()
  if (other === undefined) return found.id
  const byUserId = found.id === name ? other.id : found.id
  throw new Error(
    `${name} is a customer's id, and the user_id of another one, ${byUserId}. Name the first by its user_id, or the other by its id. ` +
      'Nothing was changed.',
  )
}
