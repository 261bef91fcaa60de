import { randomUUID } from 'node:crypto'
import type { PasskeyResetEventData } from '@mintmark/contract'
import { type Captured, type CommandDeps, command, rollback, single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { bound } from '../platform/bound.ts'
import { addSeconds } from '../platform/clock.ts'
import { notFound } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { noPasskeyToReplace, notFlagged } from './errors.ts'
import { OPERATOR, type UserRef } from './ref.ts'
import * as store from './store.ts'

const RELEASE_SECONDS = 24 * 3600
const RESET = 'passkey.reset_allowed'

type RecoveryDeps = CommandDeps & { log: Log } & {
  /** The next version of a customer who has a passkey, whose row is locked with it. None: there is no passkey. */
  nextVersion: (
    tx: Queryable,
    customer: { merchantId: string; customerId: string },
  ) => Promise<{ version: number } | undefined>
}

export interface Release {
  releasedAt: Date
  expiresAt: Date
}

/**
 * Allows a customer who lost their passkey to make another one, for a day. It opens nothing by itself: the cardholder still
 * has to prove a card of the old passkey, by its CVV and the network's code. `by` is kept and logged.
 */
export async function release(deps: RecoveryDeps, { merchantId, userId }: UserRef, by: string): Promise<Release> {
  const customer = await store.findCustomer(deps.pool, { merchantId, userId })
  if (customer === undefined) throw notFound()
  const { id: customerId } = customer
  const made = await command(deps, { name: 'passkeys.release', emits: [RESET] }, async ({ tx, at, emit }) => {
    const owner = await deps.nextVersion(tx, { merchantId, customerId })
    if (owner === undefined) return rollback
    const expiresAt = addSeconds(at, RELEASE_SECONDS)
    await store.insertRelease(tx, { merchantId, customerId, id: randomUUID(), releasedBy: by, at, expiresAt })
    emit(resetAllowed({ merchantId, customerId, version: owner.version, isOperator: by === OPERATOR, expiresAt }))
    return { releasedAt: at, expiresAt }
  })
  if (made === null) throw noPasskeyToReplace()
  deps.log.warn('a passkey may be replaced', {
    audit: 'passkey_release',
    actor: by,
    merchant_id: merchantId,
    customer_id: customerId,
  })
  return made
}

interface Reset {
  merchantId: string
  customerId: string
  version: number
  isOperator: boolean
  expiresAt: Date
}

function resetAllowed({ merchantId, customerId, version, isOperator, expiresAt }: Reset): Captured<typeof RESET> {
  const data: PasskeyResetEventData = {
    customer_id: customerId,
    allowed_by: isOperator ? 'operator' : 'merchant',
    expires_at: expiresAt.toISOString(),
  }
  return { merchantId, type: RESET, resource: { type: 'customer', id: customerId, version }, data }
}

/** Lifts the flag of a passkey that an operator has looked into. */
export async function unflag(
  deps: RecoveryDeps,
  { merchantId, userId }: UserRef,
  by: string,
): Promise<{ count: number }> {
  const lifted = await single(deps, { name: 'passkeys.unflag', silent: 'logged' }, ({ on }) =>
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

/** What others than the cardholder do for one whose passkey is lost, or suspected. */
export const createPasskeyRecovery = (deps: RecoveryDeps) => bound(deps, { release, unflag })
export type PasskeyRecovery = ReturnType<typeof createPasskeyRecovery>
