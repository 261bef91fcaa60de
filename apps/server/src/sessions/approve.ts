import { transaction } from '../db/transaction.ts'
import type { CeremonyScope, VerifiedApproval } from '../passkeys/service.ts'
import { addSeconds } from '../platform/clock.ts'
import { invalidState } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { SessionDeps } from './deps.ts'
import { loadSession } from './end.ts'
import { sessionChanged } from './errors.ts'
import { approvalStatement } from './rules.ts'
import { driveCharge } from './settle.ts'
import { approveSession, type SessionRow } from './store.ts'

/** The terms and the WebAuthn request whose challenge binds them. The card must be enrolled and chosen by now. */
export async function approvalOptions(deps: SessionDeps, scope: CeremonyScope, embedded: boolean) {
  const session = await loadSession(deps, scope)
  if (session.status !== 'pending') throw sessionChanged()
  if (session.card_id === null) throw invalidState({ message: 'Choose a card first.' })
  const owner = { merchantId: scope.merchantId, customerId: scope.customerId }
  const card = await deps.cards.getActive(deps.pool, owner, session.card_id)
  const statement = approvalStatement(session, card)
  return deps.passkeys.approvalOptions(scope, { embedded, cardId: card.id, statement })
}

/**
 * The cardholder's approval. The assertion is checked first (its challenge is spent by that, whatever comes of it);
 * then one transaction makes the decision durable: session, mandate, evidence and the charge as `minting`. Only then
 * is the network asked.
 */
export async function approve(deps: SessionDeps, scope: CeremonyScope, response: unknown): Promise<void> {
  const session = await loadSession(deps, scope)
  if (session.status !== 'pending') throw sessionChanged()
  const verified = await deps.passkeys.verifyApproval(scope, response)
  const work = await transaction(deps.pool, (tx) => recordApproval(deps, tx, scope, session, verified))
  await driveCharge(deps, work)
}

type Tx = Parameters<Parameters<typeof transaction>[1]>[0]

async function recordApproval(
  deps: SessionDeps,
  tx: Tx,
  scope: CeremonyScope,
  session: SessionRow,
  verified: VerifiedApproval,
) {
  const at = deps.clock.now()
  const { merchantId, sessionId } = scope
  if (!(await approveSession(tx, scope, verified.cardId, at))) throw sessionChanged()
  const mandateId = newId('mandate')
  await deps.mandates.open(tx, {
    merchantId,
    id: mandateId,
    customerId: session.customer_id,
    sessionId,
    cardId: verified.cardId,
    payeeName: session.payee_name,
    payeeUrl: session.payee_url,
    payeeCountry: session.payee_country,
    approvedMinor: session.amount_minor,
    currency: session.currency,
    validUntil: addSeconds(at, session.effective_minutes * 60),
    approvalHash: verified.statementHash,
    at,
  })
  // False: the passkey's counter was passed by another use since we looked, or it was flagged as copied.
  if (!(await deps.passkeys.recordApproval(tx, scope, verified, mandateId))) throw sessionChanged()
  const work = await deps.charges.open(tx, { merchantId, sessionId, mandateId, cardId: verified.cardId })
  if (work === undefined) throw sessionChanged()
  return work
}
