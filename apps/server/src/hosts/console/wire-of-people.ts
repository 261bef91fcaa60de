import type { ConsoleActs, ConsoleMe, ConsoleTeam } from '@mintmark/contract/wire/console-people'
import type { ActsPage, ConsoleService, Team } from '../../console/service.ts'

export const toWireTeam = ({ people, invitations }: Team): ConsoleTeam => ({
  people: people.map(({ id, name, email, role, createdAt, isThis }) => ({
    ...{ person_id: id, name, email, role, since: createdAt.toISOString(), current: isThis },
  })),
  invitations: invitations.map(({ id, email, role, inviter, createdAt, expiresAt, isOver }) => ({
    ...{ invitation_id: id, email, role, inviter, over: isOver },
    ...{ created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() },
  })),
})

export const toWireActs = ({ acts, before }: ActsPage): ConsoleActs => ({
  acts: acts.map(({ id, kind, person, subject, role, at }) => ({
    ...{ act_id: id, act: kind, person, subject, role, at: at.toISOString() },
  })),
  next_before: before,
})

type Listed<Name extends 'listPasskeys' | 'listSessions' | 'accountsOf'> = Awaited<ReturnType<ConsoleService[Name]>>

export function toWireMe({ email, passkeys, sessions, accounts }: Me): ConsoleMe {
  const names = new Map(accounts.map(({ id, name }) => [id, name]))
  return {
    email,
    passkeys: passkeys.map((passkey) => ({
      ...{ passkey_id: passkey.ref, name: passkey.name, browser: passkey.browser, system: passkey.system },
      ...{ made_at: passkey.createdAt.toISOString(), last_used_at: passkey.lastUsedAt?.toISOString() ?? null },
      ...{ synced: passkey.backedUp, blocked: passkey.flaggedAt !== null, current: passkey.isThis },
    })),
    sessions: sessions.map(({ id, browser, system, place, accountId, createdAt, usedAt, idleAt, isThis }) => ({
      ...{ session_id: id, browser, system, place, account: names.get(accountId) ?? '', current: isThis },
      ...{ signed_in_at: createdAt.toISOString(), last_used_at: usedAt.toISOString(), ends_at: idleAt.toISOString() },
    })),
    accounts: accounts.map(({ id, name, role, isThis }) => ({ account_id: id, name, role, current: isThis })),
  }
}

interface Me {
  email: string | null
  passkeys: Listed<'listPasskeys'>
  sessions: Listed<'listSessions'>
  accounts: Listed<'accountsOf'>
}
