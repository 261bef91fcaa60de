import { type CaptureContext, single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { enrollmentEvent } from '../enrollment/service.ts'
import type { NewPasskey, Passkey, StorePasskey } from '../passkeys/service.ts'
import { maskedAddress } from '../platform/text.ts'
import { firstApprovalOptions, type ReadingPage } from './approve.ts'
import { openAnswered } from './ceremony.ts'
import type { SessionDeps } from './deps.ts'
import { completed, factsOf } from './enrollment.ts'
import { cardNotProven } from './errors.ts'
import { open } from './grant.ts'
import { findWithCard, type SurfaceSession, type WithCard } from './read.ts'
import { mayReplace } from './rules.ts'
import { ownerOf, scopeOf } from './scope.ts'
import { checkProven, passkeySealOf } from './seal.ts'
import type { EnrollmentSession } from './store.ts'
import { insertEnrolledPasskey, insertPasskey, issueChallenge, replacePasskey } from './surface-store.ts'
import type { SurfaceCaller } from './token.ts'
import { beginTry } from './tries.ts'

/** A passkey is made only by who proved a card in this session: a link alone never leads to one. */
export async function registrationOptions(deps: SessionDeps, caller: SurfaceCaller, embedded: boolean) {
  const owner = ownerOf(caller)
  const declaration = { name: 'sessions.issue_challenge', silent: 'challenge' } as const
  const issued = await single(deps, declaration, ({ on, at }) =>
    issueChallenge(on, { ...deps.passkeys.registrationChallenge(owner, embedded, at), ...caller }),
  )
  if (issued === undefined) {
    // Says what else may stand against it.
    await open(deps, caller)
    throw cardNotProven()
  }
  const { challenge, passkeyReleased: released, email } = issued
  const userLabel = maskedAddress(email) ?? (await open(deps, caller)).payeeName
  return deps.passkeys.registrationOptions(owner, released === null ? null : { released }, { challenge, userLabel })
}

interface Registered {
  /** The session as it is then. */
  session: SurfaceSession
  /** What the approval is asked with, if it is next and was asked for. */
  approval: Awaited<ReturnType<typeof firstApprovalOptions>>
}

/**
 * Stores the passkey; the card that was proven in this session belongs to it. With `page` what the approval is asked with is stored with it,
 * if that is next.
 */
export async function register(
  deps: SessionDeps,
  caller: SurfaceCaller,
  response: unknown,
  page?: ReadingPage,
): Promise<Registered> {
  const read = () => deps.passkeys.readRegistration(response)
  const find = (on: Queryable) => findWithCard(on, caller)
  const { session, answer, claimed } = await openAnswered(deps, caller, 'registration', find, read)
  await beginTry(deps, session)
  const cardId = checkProven(deps.seals, session)
  const { merchantId, id: sessionId, proof, card } = session
  const shown = { proof, hadPasskey: card !== null && card.passkeyId !== null }
  const mayBesideOthers = mayReplace({ ...shown, othersHave: true })
  const mayAlone = mayReplace({ ...shown, othersHave: false })
  let asked: Promise<Registered['approval']> | undefined
  const scope = scopeOf(deps, session)
  const store: StorePasskey = async ({ on, at }, row) => {
    const passkeySeal = passkeySealOf(deps, { merchantId, id: cardId }, row.passkeyId)
    const values = { ...row, ...shown, mayBesideOthers, mayAlone, sessionId, cardId, passkeySeal, at }
    if (session.kind === 'enrollment')
      return insertEnrolledPasskey(on, { ...values, ...completion(deps, { on, at }, session) })
    const made = withPasskey(session, asMade(row, at))
    const send = (statement: typeof replacePasskey) => {
      const stored = statement(on, values)
      asked = page && firstApprovalOptions(deps, { on, at }, made, page)
      return stored
    }
    // Few customers replace a passkey: the longer statement is asked only where the short one stores nothing.
    return (await send(insertPasskey)) ?? send(replacePasskey)
  }
  const silent = session.kind === 'enrollment' ? 'statement' : 'unapproved'
  const passkey = await deps.passkeys.register(scope, answer, claimed, { silent, store })
  const now = withPasskey(session, passkey)
  if (now.kind === 'enrollment') return { session: completed(now, passkey.createdAt, 'registered'), approval: null }
  return { session: now, approval: (await asked) ?? null }
}

/** A passkey as it is once it is stored. */
function asMade({ passkeyId: id, signCount, ...row }: NewPasskey, createdAt: Date): Passkey {
  return { ...row, id, signCount: BigInt(signCount), createdAt, flaggedAt: null, replaces: null, released: false }
}

/** A passkey that is made in an enrollment completes it: the event of that. */
function completion({ events }: SessionDeps, context: CaptureContext, session: WithCard<EnrollmentSession>) {
  // The statement wants a card that was proven: without one it makes no passkey.
  const facts = { ...factsOf(session), card: session.card }
  const passkey = 'registered'
  return {
    enrolledPasskey: passkey,
    ...events.prepare(context, enrollmentEvent('card_enrollment.completed', facts, { passkey })),
  }
}

/** The cards of a passkey that was replaced are not its successor's: only the card that was proven now is. */
function withPasskey(session: WithCard, passkey: NonNullable<SurfaceSession['passkey']>): SurfaceSession {
  if (session.card === null) throw new Error('A passkey was made without a card.')
  const card = { ...session.card, passkeyId: passkey.id }
  return { ...session, card, saved: [card], passkey, record: null, othersHavePasskey: false }
}
