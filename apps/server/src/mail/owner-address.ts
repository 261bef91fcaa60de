import { type Change, command } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import { wake } from '../jobs/wake.ts'
import { addSeconds } from '../platform/clock.ts'
import { isEmail } from '../platform/email.ts'
import { fieldErrors } from '../platform/errors.ts'
import { idBefore, newOrderedId, randomText } from '../platform/ids.ts'
import { isUntouched } from '../platform/row-seals.ts'
import type { MailDeps } from './deps.ts'
import { addressTaken, alreadyVerified, codeOver, codeWrong, noMailHere, tooManyCodes } from './errors.ts'
import { replacing } from './former-address.ts'
import { addressHash, isCode } from './owner-code.ts'
import * as store from './owner-store.ts'
import { CODE_REST_SECONDS, CODE_SECONDS, HOUR, MAX_CODES, MAX_TRIES } from './rules.ts'
import { SEND_JOB } from './store.ts'

// Where an owner is told of what their agents ask: an address that they have proven with a code.

/** The owner of the address. */
export interface OwnerRef {
  merchantId: string
  customerId: string
}

export interface OwnerAddress {
  email: string
  isVerified: boolean
  /** When the last code ends, if it can still be typed. */
  codeEndsAt: Date | null
}

const SILENT = 'Owners have no feed.'

type Found = NonNullable<Awaited<ReturnType<typeof store.findAddress>>>

/** One that was edited is as none, with an alarm: nothing is sent to it, and its owner names theirs again. */
async function find(deps: MailDeps, owner: OwnerRef): Promise<Found | undefined> {
  return untouched(deps, owner, await store.findAddress(deps.pool, owner))
}

const untouched = (deps: MailDeps, owner: OwnerRef, found: Found | undefined): Found | undefined =>
  found !== undefined &&
  isUntouched(() => deps.seals.check(store.sealedOwnerAddress({ ...owner, ...found }), found.seal))
    ? found
    : undefined

/** The address that is told when another one takes its place. */
const provenOf = (found: Found | undefined): string | null => (found?.verifiedAt ? found.email : null)

/** Undefined: they are mailed nothing. */
export async function ownerAddress(deps: MailDeps, owner: OwnerRef): Promise<OwnerAddress | undefined> {
  const found = await find(deps, owner)
  if (found === undefined) return undefined
  const { email, verifiedAt, codeEndsAt, codeTries } = found
  const isOver = verifiedAt !== null || codeEndsAt <= deps.clock.now() || codeTries >= MAX_TRIES
  return { email, isVerified: verifiedAt !== null, codeEndsAt: isOver ? null : codeEndsAt }
}

/** The owner who has proven an address. One that was edited leads to no owner. */
export async function ownerOf(deps: MailDeps, merchantId: string, email: string): Promise<string | undefined> {
  const found = await store.findOwnerOf(deps.pool, { merchantId, email })
  if (found === undefined) return undefined
  return untouched(deps, { merchantId, customerId: found.customerId }, found) && found.customerId
}

/**
 * Mails a code to an address, which takes the place of the one before. Until it is typed, nothing else is sent there.
 * The one before is told, if it was proven.
 */
export async function askOwnerAddress(deps: MailDeps, owner: OwnerRef, email: string): Promise<void> {
  if (!isEmail(email)) throw fieldErrors({ email: 'must be an email address' })
  if (!deps.mailer.sends) throw noMailHere()
  const seen = await store.findAddress(deps.pool, owner)
  const found = untouched(deps, owner, seen)
  if (found?.verifiedAt && found.email.toLowerCase() === email.toLowerCase()) throw alreadyVerified()
  const codeId = randomText(16)
  const seal = deps.seals.seal(store.sealedOwnerAddress({ ...owner, email, verifiedAt: null }))
  const asked = await command(
    deps,
    { name: 'mail.ask_for_code', why: SILENT, together: 'statement' },
    async ({ on, at }) => {
      const since = idBefore('mail', addSeconds(at, -HOUR))
      const code = { codeId, facts: { codeId }, codeEndsAt: addSeconds(at, CODE_SECONDS), seal }
      const mail = {
        id: newOrderedId('mail', at),
        addressHash: addressHash(deps.linksKey, email),
        since,
        most: MAX_CODES,
      }
      const madeBefore = addSeconds(at, -CODE_REST_SECONDS)
      const former = { seenSeal: seen?.seal ?? null, ...replacing(deps, owner, provenOf(found), at) }
      const queued = await store.askForCode(on, { ...owner, ...code, ...mail, ...former, email, madeBefore, at })
      if (queued !== undefined) wake(on, SEND_JOB)
      return queued
    },
  )
  if (asked === undefined) throw tooManyCodes()
}

/** The code was typed: the address is its owner's. Five tries a code, however many are made at the same moment. */
export async function confirmOwnerAddress(deps: MailDeps, owner: OwnerRef, typed: string): Promise<void> {
  const found = await find(deps, owner)
  if (found === undefined) throw codeOver()
  const { codeId, email } = found
  const isRight = isCode(deps.linksKey, { ...owner, codeId }, typed)
  const tried = await ofOneOwner(() =>
    command(deps, { name: 'mail.try_code', why: SILENT, together: 'statement' }, ({ on, at }) => {
      const verifiedSeal = deps.seals.seal(store.sealedOwnerAddress({ ...owner, email, verifiedAt: at }))
      const again = { verifiedSeal, addressHash: addressHash(deps.linksKey, email) }
      return store.tryCode(on, { ...owner, ...again, codeId, isRight, most: MAX_TRIES, at })
    }),
  )
  if (tried === undefined) throw codeOver()
  if (!isRight) throw codeWrong()
}

/** An address leads back to one owner: if two prove it at the same moment, the unique index lets one have it. */
export async function ofOneOwner<T>(prove: () => Promise<T>): Promise<T> {
  try {
    return await prove()
  } catch (error) {
    if (violates(error, store.ONE_OWNER_CONSTRAINT)) throw addressTaken({ cause: error })
    throw error
  }
}

/**
 * They want no mails any more. What was queued for them is not sent, but for what a recovery tells. The address is told
 * so, if it was proven. One that was changed meanwhile is removed as it is by then.
 */
export async function removeOwnerAddress(deps: MailDeps, owner: OwnerRef): Promise<void> {
  for (;;) {
    const seen = await store.findAddress(deps.pool, owner)
    if (seen === undefined) return
    const former = provenOf(untouched(deps, owner, seen))
    const removed = await command(
      deps,
      { name: 'mail.remove_address', why: SILENT, together: 'statement' },
      async ({ on, at }) => {
        const gone = { ...owner, seenSeal: seen.seal, ...replacing(deps, owner, former, at), at }
        const found = await store.removeAddress(on, gone)
        if (found !== undefined && former !== null) wake(on, SEND_JOB)
        return found
      },
    )
    if (removed !== undefined) return
  }
}

/** The same of an owner who is forgotten, in the transaction of that. */
export async function forgetOwnerAddress({ tx }: Pick<Change, 'tx'>, owner: OwnerRef): Promise<void> {
  await store.forgetAddresses(tx, owner)
}

/** Whether mails leave this deployment at all. */
export const sendsMail = ({ mailer }: MailDeps): boolean => mailer.sends
