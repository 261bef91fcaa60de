import { command } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import { newOrderedId } from '../platform/ids.ts'
import { isUntouched } from '../platform/row-seals.ts'
import type { MailDeps } from './deps.ts'
import type { OwnerRef } from './owner-address.ts'
import { addressHash } from './owner-code.ts'
import * as store from './owner-store.ts'
import { FORMER_SECONDS, NOTICE_SECONDS } from './rules.ts'

// An address that was an owner's is told that it is not any more, and of recoveries for some days: whoever has a
// session of the owner can name another one, and would be told alone.

/** The address as it was read. Null: there was none, or it was not proven, or was edited. */
type Former = string | null

/** The parameters of `REPLACE`: what is kept of the address that was proven, and the mail to it. */
export function replacing(deps: MailDeps, owner: OwnerRef, email: Former, at: Date) {
  const endsAt = addSeconds(at, FORMER_SECONDS)
  const seal = email === null ? null : deps.seals.seal(store.sealedFormer({ ...owner, email, endsAt }))
  return {
    formerEmail: email,
    formerHash: email === null ? null : addressHash(deps.linksKey, email),
    formerEndsAt: endsAt,
    formerSeal: seal,
    formerMailId: newOrderedId('mail', at),
    noticeEndsAt: addSeconds(at, NOTICE_SECONDS),
  }
}

/** The former address that a mail goes to, with the time until which it is told. Null: it is gone, or was edited. */
export function formerOf(
  deps: MailDeps,
  owner: OwnerRef,
  { formerEmail: email, formerEndsAt: endsAt, formerSeal: seal }: FormerColumns,
): { email: string; endsAt: Date } | null {
  if (email === null || endsAt === null) return null
  return isUntouched(() => deps.seals.check(store.sealedFormer({ ...owner, email, endsAt }), seal))
    ? { email, endsAt }
    : null
}

/** Those of an owner that are told of recoveries. One that was edited is told nothing, so it is not shown. */
export async function formerAddresses(deps: MailDeps, owner: OwnerRef): Promise<{ email: string; endsAt: Date }[]> {
  const { merchantId, customerId } = owner
  const found = await store.listFormer(deps.pool, { merchantId, customerId, at: deps.clock.now() })
  return found.filter((former) =>
    isUntouched(() => deps.seals.check(store.sealedFormer({ ...owner, ...former }), former.seal)),
  )
}

interface FormerColumns {
  formerEmail: string | null
  formerEndsAt: Date | null
  formerSeal: Buffer | null
}

/** Deletes those that are told nothing any more. */
export async function deleteFormerAddresses(deps: MailDeps, merchantId: string, limit: number): Promise<void> {
  const why = 'Owners have no feed.'
  await command(deps, { name: 'mail.delete_former', why, together: 'statement' }, ({ on, at }) =>
    store.deleteFormer(on, { merchantId, at, limit }),
  )
}
