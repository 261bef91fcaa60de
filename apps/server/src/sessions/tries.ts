import { ENROLLMENT_ERROR_CODES, type EnrollmentError } from '@mintmark/contract'
import { Declined } from '../cards/errors.ts'
import { command, rollback } from '../db/command.ts'
import { unbounded } from '../platform/bounds.ts'
import { PublicError } from '../platform/errors.ts'
import type { SessionDeps } from './deps.ts'
import { find, type ReadRef } from './read.ts'
import { isOpen } from './rules.ts'
import { type EnrollmentSession, type Session, updateCancelled } from './store.ts'
import type { SurfaceCaller } from './token.ts'

// What a cardholder tries in an enrollment is seen by its merchant: that a try is in hand, and why the last one failed.

/** Whether a session may be one that tells of tries: an old token does not say. */
export function tellsOfTries({ readAs = 'enrollment' }: ReadRef): boolean {
  return readAs === 'enrollment'
}

/** A try of the session begins. Sessions of other kinds do not tell of tries. */
export async function beginTry(deps: SessionDeps, session: Session): Promise<void> {
  if (session.kind !== 'enrollment') return
  await deps.enrollments.begin({ merchantId: session.merchantId, sessionId: session.id })
}

/**
 * Does a step of the cardholder; what it fails with is kept where the session enrolls a card, also when its caller has hung up
 * meanwhile. One that no other try can mend ends it. The caller is told what happened in any case.
 */
export async function noting<T>(deps: SessionDeps, caller: SurfaceCaller, work: () => Promise<T>): Promise<T> {
  if (!tellsOfTries(caller)) return work()
  try {
    return await work()
  } catch (error) {
    const { merchantId, sessionId } = caller
    await unbounded(() => note(deps, caller, error)).catch((failure: unknown) => {
      // The try counts as in hand for a while longer.
      deps.log.failure('a failed try was not noted', failure, { merchant_id: merchantId, session_id: sessionId })
    })
    throw error
  }
}

async function note(deps: SessionDeps, caller: SurfaceCaller, error: unknown): Promise<void> {
  const session = await find(deps.pool, caller)
  if (session?.kind !== 'enrollment' || !isOpen(session)) return
  const reason = reasonOf(error)
  if (reason !== null && isFinal(session, reason)) await fail(deps, session, reason)
  else await deps.enrollments.noteTried({ merchantId: session.merchantId, sessionId: session.id }, reason)
}

const KNOWN: ReadonlySet<string> = new Set(ENROLLMENT_ERROR_CODES)
const isKnown = (code: string): code is EnrollmentError => KNOWN.has(code)

/** Null: the step was not one that could have been done now, or what was sent was malformed. */
function reasonOf(error: unknown): EnrollmentError | null {
  if (!(error instanceof PublicError)) return null
  if (error.cause instanceof Declined) return isKnown(error.cause.reason) ? error.cause.reason : 'CARD_DECLINED'
  switch (error.code) {
    case 'PASSKEY_FAILED':
      return error.details?.reason === 'PASSKEY_BLOCKED' ? 'PASSKEY_BLOCKED' : 'PASSKEY_FAILED'
    case 'PASSKEY_FRAME_REFUSED':
      return 'PASSKEY_FAILED'
    case 'STEP_UP_INVALID':
    case 'NETWORK_UNAVAILABLE':
      return error.code
    default:
      return null
  }
}

const FINAL: ReadonlySet<EnrollmentError> = new Set([
  'BIN_COUNTRY_NOT_ALLOWED',
  'BIN_ISSUER_NOT_ALLOWED',
  'PASSKEY_BLOCKED',
])

/** What stands against a card, whatever is entered with it: number and expiry of one that the merchant named are the record's. */
const OF_THE_CARD: ReadonlySet<EnrollmentError> = new Set(['CARD_DECLINED', 'CARD_EXPIRED', 'CARD_NUMBER_INVALID'])

/** Whether no other try can lead to an end: there is no other passkey, and no other card where the merchant named one. */
function isFinal({ preselectedVaultRecordId: record }: EnrollmentSession, reason: EnrollmentError): boolean {
  return FINAL.has(reason) || (OF_THE_CARD.has(reason) && record !== null)
}

/** Ends session and enrollment together, with the event. Nothing where they have ended meanwhile. */
async function fail(
  deps: SessionDeps,
  { merchantId, id: sessionId }: EnrollmentSession,
  reason: EnrollmentError,
): Promise<void> {
  const declaration = { name: 'sessions.fail_enrollment', emits: ['card_enrollment.failed'] } as const
  await command(deps, declaration, async ({ tx, at, emit }) => {
    if ((await updateCancelled(tx, { merchantId, sessionId, at })) === undefined) return rollback
    const ended = await deps.enrollments.end({ tx, at }, { merchantId, sessionId }, 'card_enrollment.failed', reason)
    if (ended === undefined) return rollback
    emit({ ...ended, type: 'card_enrollment.failed' })
    return true
  })
}
