import { type ConsoleRole, mayAs } from '@mintmark/contract/console'
import { command } from '../db/command.ts'
import { actBy, SILENT } from './acts.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'
import { lastOwner, personNotFound } from './errors.ts'
import { listInvitations } from './invitations.ts'
import * as store from './people-store.ts'
import { sealedMember } from './seal.ts'

// Owners say which people look after an account, and as what; one of them is always left.

const MAX_LISTED = 500

/** The people of the account; who may invite sees their addresses, and who is invited. */
export async function readTeam(deps: ConsoleDeps, caller: ConsoleCaller) {
  const { pool, operatorId: merchantId } = deps
  const { merchantId: accountId, personId, role } = caller
  const invites = mayAs(role, 'admin')
  const [found, invitations] = await Promise.all([
    store.listPeople(pool, { merchantId, accountId, limit: MAX_LISTED }),
    invites ? listInvitations(deps, accountId) : [],
  ])
  const people = found.map(({ email, ...person }) => ({
    ...person,
    email: invites || person.id === personId ? email : null,
    isThis: person.id === personId,
  }))
  return { people, invitations }
}
export type Team = Awaited<ReturnType<typeof readTeam>>

async function findMember({ pool, operatorId: merchantId }: ConsoleDeps, accountId: string, personId: string) {
  const found = await store.findMember(pool, { merchantId, accountId, personId })
  if (found === undefined) throw personNotFound()
  return found
}

/** The role that a person has, which a passkey is asked for unless the new one is smaller. */
export async function roleOf(deps: ConsoleDeps, { merchantId }: ConsoleCaller, personId: string): Promise<ConsoleRole> {
  return (await findMember(deps, merchantId, personId)).role
}

/** `before`: the role that was looked at, so that nothing is confirmed for another one. */
export async function changeRole(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  { personId, role, before }: { personId: string; role: ConsoleRole; before: ConsoleRole },
): Promise<void> {
  if (role === before) return
  const { operatorId: merchantId, seals } = deps
  const { merchantId: accountId } = caller
  const { name } = await findMember(deps, accountId, personId)
  const memberSeal = seals.seal(sealedMember({ merchantId, accountId, personId, role }))
  const narrows = !mayAs(role, before)
  const changed = await command(
    deps,
    { name: 'console.update_role', why: SILENT, together: 'statement' },
    ({ on, at }) =>
      store.updateRole(on, {
        ...{ merchantId, personId, role, before, narrows, memberSeal, name, ...actBy(caller, at), at },
      }),
  )
  if (changed === undefined) throw lastOwner()
}

/** Takes a person away; oneself as well. */
export async function removePerson(deps: ConsoleDeps, caller: ConsoleCaller, personId: string): Promise<void> {
  const { operatorId: merchantId } = deps
  const { name } = await findMember(deps, caller.merchantId, personId)
  const gone = await command(
    deps,
    { name: 'console.delete_member', why: SILENT, together: 'statement' },
    ({ on, at }) => store.deleteMember(on, { merchantId, personId, name, ...actBy(caller, at), at }),
  )
  if (gone !== undefined) return
  await findMember(deps, caller.merchantId, personId)
  throw lastOwner()
}
