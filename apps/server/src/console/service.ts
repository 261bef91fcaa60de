import { bound } from '../platform/bound.ts'
import { acceptInvitation, askForCode, joinAccount, newPersonOptions, proveInvited, readInvitation } from './accept.ts'
import { listActs, noteAct } from './acts.ts'
import { confirmation, confirmed } from './confirm.ts'
import type { ConsoleDeps } from './deps.ts'
import { listEvents, readEvent } from './events.ts'
import { find } from './find.ts'
import { home } from './home.ts'
import { invite, withdrawInvitation } from './invitations.ts'
import { listKeys, makeKey, revokeKey, rollKey } from './keys.ts'
import { addPasskey, endPasskey, listPasskeys, namePasskey, newPasskeyOptions } from './passkeys.ts'
import { listPayments, readPayment } from './payments.ts'
import { listPermissions, readPermission } from './permissions.ts'
import { deleteOver } from './retention.ts'
import {
  accountOf,
  accountsOf,
  demoAccount,
  endSession,
  endSessions,
  listSessions,
  openAccount,
  resolve,
  rotate,
  signInAsDemo,
  signOut,
} from './sessions.ts'
import { signIn, signInOptions } from './sign-in.ts'
import { changeRole, readTeam, removePerson, roleOf } from './team.ts'

export type { ActsPage } from './acts.ts'
export type { Arrival, ConsoleCaller, ConsoleDeps } from './deps.ts'
export type { ListedEvent } from './events.ts'
export type { SentRow } from './events-store.ts'
export type { Home } from './home.ts'
export type { PaymentsPage, ReadPayment } from './payments.ts'
export type { PaymentRow } from './payments-store.ts'
export type { ReadPermission } from './permissions.ts'
export { moneyOf } from './rules.ts'
export { SESSION_SECONDS, type Token } from './sessions.ts'
export type { Team } from './team.ts'

const ARRIVING = { demoAccount, signInAsDemo, signInOptions, signIn, deleteOver }
const INVITED = { readInvitation, askForCode, proveInvited, newPersonOptions, acceptInvitation, joinAccount }
const SESSIONS = { resolve, rotate, signOut, listSessions, endSession, endSessions, accountOf, accountsOf, openAccount }
const PASSKEYS = { listPasskeys, newPasskeyOptions, addPasskey, namePasskey, endPasskey, confirmation, confirmed }
const TEAM = { readTeam, roleOf, changeRole, removePerson, invite, withdrawInvitation, listActs, noteAct }

/** What people who look after an account see of it at the console. */
export const createConsoleService = (deps: ConsoleDeps) =>
  bound(deps, {
    ...{ ...ARRIVING, ...INVITED, ...SESSIONS, ...PASSKEYS, ...TEAM },
    home,
    listPayments,
    readPayment,
    listPermissions,
    readPermission,
    listEvents,
    readEvent,
    ...{ listKeys, makeKey, rollKey, revokeKey },
    find,
  })
export type ConsoleService = ReturnType<typeof createConsoleService>
