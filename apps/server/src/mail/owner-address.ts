import { type Change, single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import { addSeconds } from '../platform/clock.ts'
import { isEmail } from '../platform/email.ts'
import { fieldErrors } from '../platform/errors.ts'
import { idBefore, newOrderedId, randomText } from '../platform/ids.ts'
import { isUntouched } from '../platform/row-seals.ts'
import type { MailDeps } from './deps.ts'
import { alreadyVerified, codeOver, codeWrong, noMailHere, tooManyCodes } from './errors.ts'
import { addressHash, isCode } from './owner-code.ts'
import * as store from './owner-store.ts'
import { CODE_REST_SECONDS, CODE_SECONDS, HOUR, MAX_CODES, MAX_TRIES } from './rules.ts'
import { checkOwnerAddress, ownerAddressSeal } from './seal.ts'
import { SEND_JOB } from './store.ts'

// Where an owner is told of what their agents ask: an address that they have proven with a code.

/** Whose address it is. */
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

/** One that was edited outside the program is as none, with an alarm: nothing is sent to it, and its owner names theirs again. */
async function find(deps: MailDeps, on: Queryable, owner: OwnerRef) {
  const found = await store.findAddress(on, owner)
  return found !== undefined && isUntouched(() => checkOwnerAddress(deps, { ...owner, ...found })) ? found : undefined
}

/** Undefined: they are mailed nothing. */
export async function ownerAddress(deps: MailDeps, on: Queryable, owner: OwnerRef): Promise<OwnerAddress | undefined> {
  const found = await find(deps, on, owner)
  if (found === undefined) return undefined
  const { email, verifiedAt, codeEndsAt, codeTries } = found
  const isOver = verifiedAt !== null || codeEndsAt <= deps.clock.now() || codeTries >= MAX_TRIES
  return { email, isVerified: verifiedAt !== null, codeEndsAt: isOver ? null : codeEndsAt }
}

/** Mails a code to an address, which takes the place of the one before. Until it is typed, nothing else is sent there. */
export async function askOwnerAddress(deps: MailDeps, owner: OwnerRef, email: string): Promise<void> {
  if (!isEmail(email)) throw fieldErrors({ email: 'must be an email address' })
  if (!deps.mailer.sends) throw noMailHere()
  const found = await find(deps, deps.pool, owner)
  if (found?.verifiedAt && found.email.toLowerCase() === email.toLowerCase()) throw alreadyVerified()
  const codeId = randomText(16)
  const seal = ownerAddressSeal(deps, { ...owner, email, verifiedAt: null })
  const asked = await single(deps, { name: 'mail.ask_for_code', silent: 'owner' }, async ({ on, at }) => {
    const since = idBefore('mail', addSeconds(at, -HOUR))
    const code = { codeId, facts: { codeId }, codeEndsAt: addSeconds(at, CODE_SECONDS), seal }
    const hash = addressHash(deps.linksKey, email)
    const mail = { id: newOrderedId('mail', at), addressHash: hash, since, most: MAX_CODES }
    const turn = {
      turns: [`owner:${owner.customerId}`, `address:${hash.toString('base64url')}`],
      takenBefore: addSeconds(at, -CODE_REST_SECONDS),
    }
    const queued = await store.askForCode(on, { ...owner, ...code, ...mail, ...turn, email, at })
    if (queued !== undefined) wake(on, SEND_JOB)
    return queued
  })
  if (asked === undefined) throw tooManyCodes()
}

/** The code was typed: the address is its owner's. Five tries a code, however many are made at the same moment. */
export async function confirmOwnerAddress(deps: MailDeps, owner: OwnerRef, typed: string): Promise<void> {
  const found = await find(deps, deps.pool, owner)
  if (found === undefined) throw codeOver()
  const { codeId, email } = found
  const isRight = isCode(deps.linksKey, { ...owner, codeId }, typed)
  const tried = await single(deps, { name: 'mail.try_code', silent: 'owner' }, ({ on, at }) => {
    const verifiedSeal = ownerAddressSeal(deps, { ...owner, email, verifiedAt: at })
    return store.tryCode(on, { ...owner, codeId, isRight, verifiedSeal, most: MAX_TRIES, at })
  })
  if (tried === undefined) throw codeOver()
  if (!isRight) throw codeWrong()
}

/** They want no mails any more. What was queued for them is not sent. */
export async function removeOwnerAddress(deps: MailDeps, owner: OwnerRef): Promise<void> {
  await single(deps, { name: 'mail.delete_address', silent: 'owner' }, ({ on }) => store.deleteAddress(on, owner))
}

/** The same of an owner who is forgotten, in the transaction of that. */
export async function forgetOwnerAddress({ tx }: Pick<Change, 'tx'>, owner: OwnerRef): Promise<void> {
  await store.deleteAddress(tx, owner)
}

/** Whether mails leave this deployment at all. */
export const sendsMail = ({ mailer }: MailDeps): boolean => mailer.sends
