import { bound } from '../platform/bound.ts'
import { listActivity, listShops, readCharge } from './activity.ts'
import type { OwnerDeps } from './deps.ts'
import { allowDevice, askDevice, deviceApproval, readDevice, refuseDevice } from './devices.ts'
import { allowEscalation, denyEscalation, escalationApproval, openMandate, readEscalation } from './escalations.ts'
import { cardOfAgent, home, publishAgent, revokeAgent, unpublishAgent } from './home.ts'
import { approveLimits, limitsApproval, narrowLimits } from './limits.ts'
import { approveLink, denyLink, linkApproval, readLink } from './links.ts'
import { askForMail, confirmMail, mailOf, stopMail } from './mail.ts'
import { joinDevice, newDeviceOptions, registerDevice, waitingDevice } from './new-device.ts'
import { endPasskey, listPasskeys, namePasskey } from './passkeys.ts'
import { endPermission, listCards, listPermissions, pausePermission, readPermission } from './permissions.ts'
import { recover, recoveriesOf, recoveryOptions } from './recovered.ts'
import { proveCard, proveCode, readRecovery, startRecovery } from './recovery.ts'
import { deleteOver, endSession, endSessions, listSessions, resolve, rotate, signOut } from './sessions.ts'
import { becomeOwner, shopPasskeyOptions } from './shop-passkey.ts'
import { nameOf, newOwnerOptions, proveAddress, registerOwner, signIn, signInOptions, signUp } from './sign-in.ts'
import { stopOwnRecovery, stopRecovery, stopRecoveryByMail } from './stop-recovery.ts'

export { type ActivityFilter, type ActivityPage, type ChargeLife, outcomeOf } from './activity.ts'
export type { ActivityRow } from './activity-store.ts'
export type { OwnerCaller, OwnerDeps } from './deps.ts'
export type { ReadDevice } from './devices.ts'
export type { ReadEscalation } from './escalations.ts'
export type { Home } from './home.ts'
export type { Decided, ReadLink } from './links.ts'
export type { ListedPasskey } from './passkeys.ts'
export type { OwnedCard, OwnedPermission } from './permissions.ts'
export { mayWiden, type OwnRecoveries, recoveredAt } from './recovered.ts'
export type { Arrival, ListedSession, Token } from './sessions.ts'
export type { Begun } from './sign-in.ts'

const SIGN_IN = { signInOptions, signIn, signUp, proveAddress, newOwnerOptions, registerOwner, nameOf }
const SHOP_PASSKEY = { shopPasskeyOptions, becomeOwner }
const SESSIONS = { resolve, rotate, listSessions, endSession, endSessions, signOut, deleteOver }
const PASSKEYS = { listPasskeys, namePasskey, endPasskey }
const DEVICES = { askDevice, readDevice, deviceApproval, allowDevice, refuseDevice }
const NEW_DEVICE = { joinDevice, waitingDevice, newDeviceOptions, registerDevice }
const RECOVERY = { startRecovery, readRecovery, proveCard, proveCode, recoveryOptions, recover }
const STOPPING = { recoveriesOf, stopOwnRecovery, stopRecovery, stopRecoveryByMail }
const LINKS = { readLink, linkApproval, approveLink, denyLink }
const AGENTS = { home, revokeAgent, cardOfAgent, publishAgent, unpublishAgent }
const LIMITS = { limitsApproval, approveLimits, narrowLimits }
const ACTIVITY = { listActivity, listShops, readCharge }
const PERMISSIONS = { listPermissions, readPermission, pausePermission, endPermission, listCards }
const MAIL = { mailOf, askForMail, confirmMail, stopMail }
const ESCALATIONS = { readEscalation, escalationApproval, allowEscalation, denyEscalation, openMandate }

/** What people do at the owners' page: they sign in, link agents, and answer what these ask. */
export const createOwnerService = (deps: OwnerDeps) =>
  bound(deps, {
    ...SIGN_IN,
    ...SHOP_PASSKEY,
    ...SESSIONS,
    ...PASSKEYS,
    ...DEVICES,
    ...NEW_DEVICE,
    ...RECOVERY,
    ...STOPPING,
    ...LINKS,
    ...ESCALATIONS,
    ...MAIL,
    ...AGENTS,
    ...LIMITS,
    ...ACTIVITY,
    ...PERMISSIONS,
  })
export type OwnerService = ReturnType<typeof createOwnerService>
