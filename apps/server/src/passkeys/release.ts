import { randomUUID } from 'node:crypto'
import { single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import { notFound } from '../platform/errors.ts'
import type { PasskeyDeps } from './ceremony.ts'
import { noPasskeyToReplace, notFlagged } from './errors.ts'
import * as store from './store.ts'

const RELEASE_SECONDS = 24 * 3600

/** Whose passkey an operator or a merchant speaks of. */
export interface UserRef {
  merchantId: string
  /** The merchant's own name for the person. */
  userId: string
}

export interface Release {
  releasedAt: Date
  expiresAt: Date
}

/**
 * Allows a customer who lost their passkey to make another one, for a day. It opens nothing by itself: the cardholder still
 * has to prove a card of the old passkey, by its CVV and the network's code. `by` is kept and logged.
 */
export async function release(deps: PasskeyDeps, { merchantId, userId }: UserRef, by: string): Promise<Release> {
  const customer = await store.findCustomer(deps.pool, { merchantId, userId })
  if (customer === undefined) throw notFound()
  const silent = 'It opens nothing, and is in the audit log.'
  const made = await single(deps, { name: 'passkeys.release', silent }, async ({ on, at }) => {
    const expiresAt = addSeconds(at, RELEASE_SECONDS)
    const row = { merchantId, customerId: customer.id, id: randomUUID(), releasedBy: by, at, expiresAt }
    return (await store.insertRelease(on, row)) === undefined ? undefined : { releasedAt: at, expiresAt }
  })
  if (made === undefined) throw noPasskeyToReplace()
  deps.log.warn('a passkey may be replaced', {
    audit: 'passkey_release',
    actor: by,
    merchant_id: merchantId,
    customer_id: customer.id,
  })
  return made
}

/** Lifts the flag of a passkey that an operator has looked into. */
export async function unflag(
  deps: PasskeyDeps,
  { merchantId, userId }: UserRef,
  by: string,
): Promise<{ count: number }> {
  const lifted = await single(deps, { name: 'passkeys.unflag', silent: 'It is in the audit log.' }, ({ on }) =>
    store.updateUnflagged(on, { merchantId, userId }),
  )
  if (lifted.length === 0) throw notFlagged()
  for (const { customerId } of lifted) {
    deps.log.warn('the flag of a passkey was lifted', {
      audit: 'passkey_unflag',
      actor: by,
      merchant_id: merchantId,
      customer_id: customerId,
    })
  }
  return { count: lifted.length }
}
