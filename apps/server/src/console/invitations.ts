import { CONSOLE_ROLES, type ConsoleRole, mayAs } from '@mintmark/contract/console'
import { command } from '../db/command.ts'
import { sealedInvitation } from '../mail/service.ts'
import { addSeconds } from '../platform/clock.ts'
import { isEmail } from '../platform/email.ts'
import { fieldErrors, notFound } from '../platform/errors.ts'
import { newId, newOrderedId } from '../platform/ids.ts'
import { isUntouched } from '../platform/row-seals.ts'
import { actBy, SILENT } from './acts.ts'
import type { ConsoleCaller, ConsoleDeps, InvitingDeps } from './deps.ts'
import { alreadyInvited, invitationNotFound, noMailAtConsole, roleTooSmall } from './errors.ts'
import * as store from './invitations-store.ts'
import { deletePerson, findByEmail } from './people-store.ts'

const DAY = 24 * 60 * 60
/** How long the link opens. */
const INVITATION_SECONDS = 3 * DAY
/** How many wait at an account. */
const MAX_WAITING = 50

/** The person who invites. Null: the operator does, by a command. */
type Inviter = Pick<ConsoleCaller, 'personId' | 'name' | 'role'> | null

/** Invites an address, and mails the link. */
async function inviteTo(
  deps: InvitingDeps,
  inviter: Inviter,
  { accountId, email, role }: { accountId: string; email: string; role: ConsoleRole },
): Promise<{ id: string; expiresAt: Date }> {
  if (!isEmail(email)) throw fieldErrors({ email: 'must be an email address' })
  if (!CONSOLE_ROLES.includes(role)) throw fieldErrors({ role: `must be one of ${CONSOLE_ROLES.join(', ')}` })
  const { operatorId: merchantId, mail, seals } = deps
  if (!mail.sendsMail()) throw noMailAtConsole()
  const id = newId('invitation')
  const by = { actorId: inviter?.personId ?? null, actor: inviter?.name ?? null, actorRole: inviter?.role ?? null }
  return command(deps, { name: 'console.invite', why: SILENT, together: 'statement' }, async ({ on, at }) => {
    const expiresAt = addSeconds(at, INVITATION_SECONDS)
    const invitationSeal = seals.seal(sealedInvitation({ merchantId, id, accountId, email, role, expiresAt }))
    const row = { merchantId, accountId, invitationId: id, email, role, expiresAt, invitationSeal, most: MAX_WAITING }
    const acted = { ...by, actId: newOrderedId('act', at), at }
    const made = await store.insertInvitation(on, { ...row, ...acted, ...mail.invitationMail(on, { id, email }, at) })
    if (made === undefined) throw alreadyInvited()
    return { id, expiresAt }
  })
}

/** By a person at the console: as no more than they are themselves. */
export async function invite(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  { email, role }: { email: string; role: ConsoleRole },
): Promise<void> {
  if (!mayAs(caller.role, role)) throw roleTooSmall()
  await inviteTo(deps, caller, { accountId: caller.merchantId, email, role })
}

export async function withdrawInvitation(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  invitationId: string,
): Promise<void> {
  const { operatorId: merchantId } = deps
  const ended = await command(
    deps,
    { name: 'console.withdraw_invitation', why: SILENT, together: 'statement' },
    ({ on, at }) => store.updateWithdrawn(on, { merchantId, invitationId, ...actBy(caller, at), at }),
  )
  if (ended === undefined) throw invitationNotFound()
}

/** Those that wait at an account. One that was edited is left out, with an alarm: it lets no one in. */
export async function listInvitations(deps: ConsoleDeps, accountId: string) {
  const { pool, operatorId: merchantId, clock, seals } = deps
  const found = await store.listInvitations(pool, { merchantId, accountId, limit: MAX_WAITING })
  const now = clock.now()
  return found
    .filter((one) => isUntouched(() => seals.check(sealedInvitation({ ...one, merchantId }), one.seal)))
    .map((one) => ({ ...one, isOver: one.expiresAt <= now }))
}

/** By the operator, whose command is in the log: the first invitation of an account, or any other one. */
export async function inviteAsOperator(
  deps: InvitingDeps,
  invited: { accountId: string; email: string; role: ConsoleRole },
) {
  if ((await deps.merchants.findMerchant(invited.accountId)) === undefined) throw notFound()
  await deps.ensureAccount()
  const { id, expiresAt } = await inviteTo(deps, null, invited)
  return { id, merchant_id: invited.accountId, role: invited.role, expires_at: expiresAt.toISOString() }
}

/** By the operator: a person who has lost all passkeys, or shall be forgotten, is in no account any more. */
export async function removeAsOperator(deps: InvitingDeps, email: string): Promise<{ id: string }> {
  const { pool, operatorId: merchantId } = deps
  const found = await findByEmail(pool, { merchantId, email })
  if (found === undefined) throw notFound()
  const { id: personId } = found
  await command(deps, { name: 'console.delete_person', why: SILENT, together: 'statement' }, ({ on, at }) =>
    deletePerson(on, { merchantId, personId, at }),
  )
  return { id: personId }
}
