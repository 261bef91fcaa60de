import type { VerifiedApproval } from '../approvals/service.ts'
import { sealedCard } from '../cards/service.ts'
import { command, rollback } from '../db/command.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { invalidState } from '../platform/errors.ts'
import type { SessionDeps } from './deps.ts'
import { refresh } from './end.ts'
import { cardNotProven, sessionChanged } from './errors.ts'
import { KINDS } from './kind.ts'
import { isOpen } from './rules.ts'
import { type Session, updateApproved } from './store.ts'

/** The terms and the WebAuthn request whose challenge binds them. The card must be enrolled and chosen by now. */
export async function approvalOptions(deps: SessionDeps, scope: CeremonyScope, embedded: boolean) {
  const session = await refresh(deps, refOf(scope))
  if (!isOpen(session)) throw sessionChanged()
  const { merchantId, customerId, cardId, provenCardId } = session
  if (cardId === null) throw invalidState({ message: 'Choose a card first.' })
  const card = await deps.cards.getUsable({ merchantId, customerId }, cardId, provenCardId).catch((error: unknown) => {
    throw isNotFound(error) ? cardNotProven({ cause: error }) : error
  })
  return deps.approvals.request(scope, { embedded, terms: KINDS[session.kind].termsOf(session, card) })
}

/** The chosen card is there: what is missing is the proof. */
function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'CARD_NOT_FOUND'
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
  checkTerms(deps, session, approval)
  const afterCommit = await recordApproval(deps, scope, session, approval)
  if (afterCommit === null) throw sessionChanged()
  await afterCommit()
}

/** What was signed is what the session asks for: nothing of it moves once it is created. */
function checkTerms({ approvals, seals }: SessionDeps, session: Session, { terms, termsHash }: VerifiedApproval): void {
  const asked = KINDS[session.kind].termsOf(session, terms.card)
  if (approvals.hashOf(asked) === termsHash) return
  throw seals.alarm({ table: 'sessions', merchantId: session.merchantId, id: session.id })
}

async function recordApproval(deps: SessionDeps, scope: CeremonyScope, session: Session, approval: VerifiedApproval) {
  const silent = 'An approval is the middle of a payment: its outcome is the event.'
  return command(deps, { name: 'sessions.approve', silent }, async (change) => {
    const { terms, assertion } = approval
    const { passkeyId } = assertion
    const card = await updateApproved(change.tx, { ...refOf(scope), cardId: terms.card.id, passkeyId, at: change.at })
    if (card === undefined) return rollback
    deps.seals.check(sealedCard(card, card.networkTokenRef), card.seal)
    // False: the passkey's counter was passed by another use since we looked, or it was flagged or replaced.
    if (!(await deps.approvals.record(change, scope, approval))) return rollback
    return KINDS[session.kind].approve(deps, change, session, { ...approval, tokenRef: card.networkTokenRef })
  })
}

function refOf({ merchantId, subject }: CeremonyScope) {
  return { merchantId, sessionId: subject.id }
}
