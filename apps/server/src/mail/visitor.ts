import { command } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { addSeconds } from '../platform/clock.ts'
import { isEmail } from '../platform/email.ts'
import { fieldErrors } from '../platform/errors.ts'
import { newOrderedId } from '../platform/ids.ts'
import type { MailDeps } from './deps.ts'
import { addressNotProven, codeOver, codeWrong, noMailHere, tooManyVisits } from './errors.ts'
import { addressHash, codeOfVisit, isCode } from './owner-code.ts'
import { CODE_SECONDS, HOUR, MAX_TRIES, MAX_VISIT_CODES, VISIT_SECONDS } from './rules.ts'
import { SEND_JOB } from './store.ts'
import * as store from './visitor-store.ts'

// A person proves an address before the service knows them. No answer says whether an owner has it, until the code is
// typed.

/** The browser in which they do. Only it knows the name of the visit. */
export interface VisitRef {
  merchantId: string
  visit: string
}

const SILENT = 'No owner is known yet.'

/** Opens a visit, and mails its code. Returns until when it can be typed. */
export async function openVisit(
  deps: MailDeps,
  ref: VisitRef,
  email: string,
  page: 'owner' | 'console' = 'owner',
): Promise<Date> {
  if (!isEmail(email)) throw fieldErrors({ email: 'must be an email address' })
  if (!deps.mailer.sends) throw noMailHere()
  const { visit } = ref
  return command(deps, { name: 'mail.open_visit', why: SILENT, together: 'statement' }, async ({ on, at }) => {
    const ends = { codeEndsAt: addSeconds(at, CODE_SECONDS), endsAt: addSeconds(at, VISIT_SECONDS) }
    const bounds = { since: addSeconds(at, -HOUR), most: MAX_VISIT_CODES }
    const mail = {
      id: newOrderedId('mail', at),
      email,
      addressHash: addressHash(deps.linksKey, email),
      facts: page === 'owner' ? { visit } : { visit, page },
    }
    if ((await store.insertVisit(on, { ...ref, ...ends, ...bounds, ...mail, at })) === undefined) throw tooManyVisits()
    wake(on, SEND_JOB)
    return ends.codeEndsAt
  })
}

/** The code was typed: the address is proven in this visit. Returns whether an owner has it. */
export async function proveVisit(deps: MailDeps, ref: VisitRef, typed: string): Promise<{ isKnown: boolean }> {
  const { merchantId, visit: id } = ref
  const found = await store.findVisit(deps.pool, ref)
  if (found === undefined) throw codeOver()
  const { email } = found
  const isRight = isCode(deps.linksKey, codeOfVisit(ref, found.addressHash), typed)
  const tried = await command(deps, { name: 'mail.try_visit', why: SILENT, together: 'statement' }, ({ on, at }) => {
    const seal = deps.seals.seal(store.sealedVisit({ merchantId, id, email, provenAt: at }))
    return store.tryVisit(on, { ...ref, isRight, email, visitSeal: seal, most: MAX_TRIES, at })
  })
  if (tried === undefined) throw codeOver()
  if (!isRight) throw codeWrong()
  return tried
}

/** The address that a visit has proven, and that nothing was made of yet. */
export async function provenEmail(deps: MailDeps, ref: VisitRef): Promise<string> {
  const found = await store.findVisit(deps.pool, ref)
  if (found === undefined || found.usedAt !== null || found.provenAt === null) throw addressNotProven()
  const { email, provenAt, seal, endsAt } = found
  if (endsAt <= deps.clock.now()) throw addressNotProven()
  deps.seals.check(store.sealedVisit({ merchantId: ref.merchantId, id: ref.visit, email, provenAt }), seal)
  return email
}

/** Deletes visits that are over. Returns how many. */
export async function deleteOverVisits(deps: MailDeps, merchantId: string, limit: number): Promise<number> {
  return command(deps, { name: 'mail.delete_visits', why: SILENT, together: 'statement' }, ({ on, at }) =>
    store.deleteOverVisits(on, { merchantId, at, since: addSeconds(at, -HOUR), limit }),
  )
}
