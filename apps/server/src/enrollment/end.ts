import type { EnrollmentError } from '@mintmark/contract'
import { type Change, single } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import type { EnrollmentDeps } from './deps.ts'
import { enrollmentEvent } from './events.ts'
import * as store from './session-store.ts'

export interface EnrollmentRef {
  merchantId: string
  sessionId: string
}

/** The network and the checks of a passkey take less; a process that has died is not waited for any longer. */
const BUSY_SECONDS = 30

/** Until when a try that begins now counts as being in hand. */
export function busyUntil(at: Date): Date {
  return addSeconds(at, BUSY_SECONDS)
}

/** A try begins. */
export async function begin(deps: EnrollmentDeps, { merchantId, sessionId }: EnrollmentRef): Promise<void> {
  await single(deps, { name: 'enrollment.begin', silent: 'middle' }, ({ on, at }) =>
    store.updateBusy(on, { merchantId, sessionId, busyUntil: busyUntil(at), at }),
  )
}

/** A try came to nothing, and there may be another. Null: it is no matter of the enrollment why. */
export async function noteTried(
  deps: EnrollmentDeps,
  { merchantId, sessionId }: EnrollmentRef,
  error: EnrollmentError | null,
): Promise<void> {
  await single(deps, { name: 'enrollment.note_tried', silent: 'middle' }, ({ on, at }) =>
    store.updateTried(on, { merchantId, sessionId, error, at }),
  )
}

const UPDATES = {
  'card_enrollment.failed': store.updateFailed,
  'card_enrollment.cancelled': store.updateCancelled,
  'card_enrollment.expired': store.updateExpired,
} as const

/** Ends an enrollment together with its session; returns its event. None: it has ended. An error only of one that failed. */
export async function end<Type extends keyof typeof UPDATES>(
  _deps: EnrollmentDeps,
  { tx, at }: Change,
  { merchantId, sessionId }: EnrollmentRef,
  type: Type,
  error: EnrollmentError | null = null,
) {
  const ended = await UPDATES[type](tx, { merchantId, sessionId, error, at })
  return ended && enrollmentEvent<Type>(type, { merchantId, sessionId, ...ended }, { error })
}
