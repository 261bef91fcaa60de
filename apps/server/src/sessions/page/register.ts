import { type CaptureContext, command } from '../../db/command.ts'
import { enrollmentEvent } from '../../enrollment/service.ts'
import type { RegistrationAnswer, StorePasskey } from '../../passkeys/service.ts'
import { maskedAddress } from '../../platform/text.ts'
import type { SessionDeps } from '../deps.ts'
import { cardNotProven } from '../errors.ts'
import { authorize, refOf } from '../grant.ts'
import { completed, factsOf } from '../kinds/enrollment/kind.ts'
import { startTry } from '../kinds/enrollment/tries.ts'
import { findOnSurface, READS } from '../read.ts'
import { rowOf, rowOfKind } from '../ref.ts'
import { mayReplace } from '../rules.ts'
import { ownerOf, scopeOf } from '../scope.ts'
import { checkProven, passkeySealOf } from '../seal.ts'
import type { EnrollmentSession, Session } from '../store.ts'
import type { SurfaceCaller } from '../token.ts'
import { draftApproval, type ReadingPage } from './approve.ts'
import { openAnswered } from './ceremony.ts'
import {
  insertEnrolledPasskey,
  insertFirstPasskey,
  insertPasskey,
  NO_CODES,
  type SurfaceSession,
  type ToRegister,
} from './store.ts'

/** A session that asks for a passkey; null: its customer has none. */
type ToAsk = Session & { passkeyReleased: boolean | null; email: string | null }

/** A passkey is made only by who proved a card in this session: a link alone never leads to one. */
export async function registrationOptions(deps: SessionDeps, caller: SurfaceCaller, embedded: boolean) {
  const { sessionId } = caller
  const owner = ownerOf(caller)
  const find = READS[rowOf(caller)].findToRegister
  const why = 'A question is no change.'
  const { found, challenge } = await command(
    deps,
    { name: 'passkeys.issue_challenge', why, together: 'statement' },
    async ({ on, at }) => {
      const row = deps.passkeys.registrationChallenge(owner, embedded, at)
      return {
        found: await find(on, { ...row, sessionId, customerId: owner.customerId }),
        challenge: row.challenge,
      }
    },
  )
  const session = await authorize<ToAsk>(deps, caller, found, async () => {
    const again = await findOnSurface(deps, refOf(caller))
    return again && { ...again, passkeyReleased: again.passkey?.released ?? null, email: null }
  })
  const { cardId, provenCardId, passkeyReleased: released, payeeName, email } = session
  // Looked at again when the passkey is stored; said here, so that no person is asked for a finger in vain.
  if (cardId === null || cardId !== provenCardId) throw cardNotProven()
  const userLabel = maskedAddress(email) ?? payeeName
  return deps.passkeys.registrationOptions(owner, released === null ? null : { released }, { challenge, userLabel })
}

/**
 * Stores the passkey; the card that was proven in this session belongs to it. Returns the session as it is then. Where
 * the page of the approval is known, what it is asked with comes along; null: no approval is next, or the page has to
 * ask for it itself.
 */
export async function register(deps: SessionDeps, caller: SurfaceCaller, response: unknown, page: ReadingPage | null) {
  const read = () => deps.passkeys.readRegistration(response)
  const claim = { ceremony: 'registration', find: READS[rowOf(caller)].findRegistered } as const
  const again = () => findOnSurface(deps, refOf(caller))
  const opened = await openAnswered<ToRegister, RegistrationAnswer>(deps, caller, claim, again, read)
  const { session, answer, claimed } = opened
  await startTry(deps, session)
  const cardId = checkProven(deps.seals, session)
  const { merchantId, id: sessionId, proof, card, othersHavePasskey: othersHave } = session
  const hadPasskey = card !== null && card.passkeyId !== null
  const shown = { proof, hadPasskey, othersHave }
  let approval: Drafted | null = null
  const store: StorePasskey = async ({ on, at }, row, made) => {
    const passkeySeal = passkeySealOf(deps, { merchantId, id: cardId }, row.passkeyId)
    const values = { ...row, ...shown, sessionId, cardId, passkeySeal, mayReplace: mayReplace(shown), at }
    if (session.kind === 'enrollment') {
      return insertEnrolledPasskey(on, { ...values, ...completion(deps, { on, at }, session) })
    }
    const place = rowOfKind(session)
    // Without its card the statement makes no passkey.
    approval = card === null ? null : await firstApproval(deps, withPasskey(session, made), page, at)
    const first = await insertFirstPasskey[place](on, { ...values, ...(approval?.row ?? NOTHING_ASKED) })
    if (first !== undefined) return { replaces: null }
    approval = null
    return insertPasskey[place](on, values)
  }
  const passkey = await deps.passkeys.register(scopeOf(deps, session), answer, claimed, store)
  const now = withPasskey(session, passkey)
  if (now.kind === 'enrollment') return { session: completed(now, passkey.createdAt, 'registered'), approval: null }
  return { session: now, approval: shownOf(approval) }
}

type Drafted = Awaited<ReturnType<typeof draftApproval>>
const NOTHING_ASKED = {
  ...{ ceremony: null, challenge: null, nonce: null, boundText: null, embedded: null, challengeExpiresAt: null },
}

/** What was done is done: a passkey is not refused for what is asked ahead. */
function firstApproval(deps: SessionDeps, session: SurfaceSession, page: ReadingPage | null, at: Date) {
  return page === null ? null : draftApproval(deps, session, page, {}, at).catch(() => null)
}

function shownOf(drafted: Drafted | null) {
  return drafted === null ? null : { terms: drafted.terms, options: drafted.options }
}

/** A passkey that is made in an enrollment completes it: the event of that. */
function completion({ events }: SessionDeps, context: CaptureContext, session: ToRegister<EnrollmentSession>) {
  // The statement wants a card that was proven: without one it makes no passkey.
  const facts = { ...factsOf(session), card: session.card }
  const passkey = 'registered'
  return {
    enrolledPasskey: passkey,
    ...events.prepare(context, enrollmentEvent('card_enrollment.completed', facts, { passkey })),
  }
}

/** The cards of a passkey that was replaced are not its successor's: only the card that was proven now is. */
function withPasskey(session: ToRegister, passkey: NonNullable<SurfaceSession['passkey']>): SurfaceSession {
  if (session.card === null) throw new Error('A passkey was made without a card.')
  const card = { ...session.card, passkeyId: passkey.id }
  return { ...session, card, saved: [card], passkey, record: null, ...NO_CODES }
}
