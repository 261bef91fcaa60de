import type { VerifiedApproval } from '../approvals/service.ts'
import { pipelinedCommand, rollback, singleOfSeveral } from '../db/command.ts'
import { answerOf } from '../db/pipeline.ts'
import type { SilentReason } from '../db/silent.ts'
import type { Queryable } from '../db/statement.ts'
import { insertEvidence, isRefused, updateCardGiven } from './approve-store.ts'
import type { SessionDeps } from './deps.ts'
import type { SignedCard } from './kind.ts'
import { ownerIn } from './scope.ts'
import { passkeySealOf } from './seal.ts'
import type { Session } from './store.ts'

interface Signed {
  session: Session
  /** The card that was shown, as it was read. */
  card: SignedCard
  approval: VerifiedApproval
  silent: SilentReason
}

/**
 * Commits an approval: `write` sends the statement of what is approved before it waits for anything, and the evidence goes with it. What an
 * agent has asked for is approved behind a lock of the agent, in a transaction: nothing is once it was revoked, and whoever revokes it
 * meanwhile finds what was approved. Undefined: the session, its card or the passkey moved on, or the agent has ended, and nothing was written.
 */
export async function approving<T>(
  deps: SessionDeps,
  { session, card, approval, silent }: Signed,
  write: (context: { on: Queryable; at: Date }) => Promise<T>,
): Promise<T | undefined> {
  const declaration = { name: 'sessions.approve', silent }
  const { agentId } = session
  const { passkeyId } = approval.assertion
  const values = {
    ...deps.approvals.evidenceOf(ownerIn(session), approval),
    ...{ sessionId: session.id, cardId: card.id, cardSeal: card.seal },
    shownCard: [card.networkTokenRef, card.last4, card.brand],
    passkeySeal: passkeySealOf(deps, card, passkeyId),
  }
  const writeAll = ({ on, at }: { on: Queryable; at: Date }) => {
    const written = write({ on, at })
    const kept = insertEvidence(on, { ...values, at })
    const given = card.passkeyId === passkeyId ? undefined : updateCardGiven(on, values)
    return answerOf(written, kept, given)
  }
  try {
    if (agentId === null) return await singleOfSeveral(deps, declaration, writeAll)
    const made = await pipelinedCommand(deps, declaration, async ({ tx, at }) =>
      (await deps.agents.lockActive(tx, agentId)) ? writeAll({ on: tx, at }) : rollback,
    )
    return made ?? undefined
  } catch (error) {
    if (isRefused(error)) return undefined
    throw error
  }
}
