import type { VerifiedApproval } from '../approvals/service.ts'
import { command, rollback } from '../db/command.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { invalidState } from '../platform/errors.ts'
import type { SessionDeps } from './deps.ts'
import { refresh } from './end.ts'
import { sessionChanged } from './errors.ts'
import { KINDS } from './kind.ts'
import { isOpen } from './rules.ts'
import { type Session, updateApproved } from './store.ts'

/** The terms and the WebAuthn request whose challenge binds them. The card must be enrolled and chosen by now. */
export async function approvalOptions(deps: SessionDeps, scope: CeremonyScope, embedded: boolean) {
  const session = await refresh(deps, refOf(scope))
  if (!isOpen(session)) throw sessionChanged()
  if (session.cardId === null) throw invalidState({ message: 'Choose a card first.' })
  const card = await deps.cards.getActive(scope, session.cardId)
  return deps.approvals.request(scope, { embedded, terms: KINDS[session.kind].termsOf(session, card) })
}

/**
 * The cardholder's approval. The assertion is checked first (that uses up its challenge, also when a later step fails);
 * then one transaction makes the decision durable: the session is closed, what was approved is made, and the evidence is
 * kept. Only then is the network asked.
 */
export async function approve(deps: SessionDeps, scope: CeremonyScope, response: unknown): Promise<void> {
  const session = await refresh(deps, refOf(scope))
  if (!isOpen(session)) throw sessionChanged()
  const approval = await deps.approvals.verify(scope, response)
  const afterCommit = await recordApproval(deps, scope, session, approval)
  if (afterCommit === null) throw sessionChanged()
  await afterCommit()
}

async function recordApproval(deps: SessionDeps, scope: CeremonyScope, session: Session, approval: VerifiedApproval) {
  const silent = 'An approval is the middle of a payment: its outcome is the event.'
  return command(deps, { name: 'sessions.approve', silent }, async (change) => {
    const cardId = approval.terms.card.id
    const closed = await updateApproved(change.tx, { ...refOf(scope), cardId, at: change.at })
    if (closed === undefined) return rollback
    // False: the passkey's counter was passed by another use since our read, or it was flagged as copied.
    if (!(await deps.approvals.record(change, scope, approval))) return rollback
    return KINDS[session.kind].approve(deps, change, session, approval)
  })
}

function refOf({ merchantId, subject }: CeremonyScope) {
  return { merchantId, sessionId: subject.id }
}
