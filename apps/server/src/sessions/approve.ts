import type { Adjustment, ApprovalTerms, ReaderInfo } from '@mintmark/contract'
import type { VerifiedApproval } from '../approvals/service.ts'
import { cardInactive } from '../cards/errors.ts'
import { type Card, sealedCard } from '../cards/service.ts'
import type { CaptureContext } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { fieldErrors, invalidState } from '../platform/errors.ts'
import { openAnswered } from './ceremony.ts'
import type { SessionDeps } from './deps.ts'
import { look } from './end.ts'
import { cardNotProven, sessionChanged } from './errors.ts'
import { openToSign } from './grant.ts'
import { kindOf, type SignedCard } from './kind.ts'
import { asAsked } from './more-time.ts'
import { findToSign, type SurfaceSession, type ToSign } from './read.ts'
import { isOpen, isUsable } from './rules.ts'
import { ownerIn, scopeOf } from './scope.ts'
import { checkAgent, checkHeld } from './seal.ts'
import { tellingOf, toldIn } from './sentence.ts'
import type { SurfaceCaller } from './token.ts'
import { beginTry } from './tries.ts'

/** Where the approval is asked for, and how its reader reads. */
export interface ReadingPage {
  embedded: boolean
  reader?: ReaderInfo | undefined
}

/**
 * The terms, with what the cardholder wishes otherwise, and the WebAuthn request whose challenge binds them. The card must be
 * enrolled and chosen by now.
 */
export async function approvalOptions(
  deps: SessionDeps,
  caller: SurfaceCaller,
  page: ReadingPage,
  adjust: Adjustment = {},
) {
  return requestApproval(deps, await openToSign(deps, caller), page, adjust)
}

/** The same of a session whose passkey is being made: asked for with that. Null: the page has to ask for it itself. */
export function firstApprovalOptions(deps: SessionDeps, making: CaptureContext, session: ToSign, page: ReadingPage) {
  // The passkey is not failed by what is asked ahead.
  return requestApproval(deps, session, page, {}, making).catch(() => null)
}

async function requestApproval(
  deps: SessionDeps,
  session: ToSign,
  { embedded, reader = {} }: ReadingPage,
  adjust: Adjustment,
  making?: CaptureContext,
) {
  if (!isOpen(session)) throw sessionChanged()
  const card = usableCard(session)
  const kind = kindOf(session)
  const problems = kind.adjustmentProblems(session, adjust)
  if (Object.keys(problems).length > 0) throw fieldErrors(problems)
  const terms = kind.termsOf(session, card, adjust, tellingOf(deps, session, reader))
  return deps.approvals.request(ownerIn(session), session.passkey, { embedded, terms }, making)
}

function usableCard(session: ToSign): Card {
  const { cardId, card } = session
  if (cardId === null) throw invalidState({ message: 'Choose a card first.' })
  if (card !== null && card.status !== 'active') throw cardInactive()
  // The chosen card is there: what is missing is the proof.
  if (card === null || !isUsable(session)) throw cardNotProven()
  return card
}

/**
 * The cardholder's approval. The assertion is checked first (that uses up its challenge, also when a later step fails);
 * then one message makes the decision durable: the session is closed, what was approved is made, and the evidence is
 * kept. Only then is the network asked. Returns the session as it is after that.
 */
export async function approve(deps: SessionDeps, caller: SurfaceCaller, response: unknown): Promise<SurfaceSession> {
  const read = () => deps.passkeys.readAssertion(response)
  const find = (on: Queryable) => findToSign(deps, on, caller)
  const { session, answer, ...known } = await openAnswered(deps, caller, 'assertion', find, read)
  if (!isOpen(session)) throw sessionChanged()
  await beginTry(deps, session)
  const approval = await deps.approvals.verify(scopeOf(deps, session), answer, { ...known, passkey: session.passkey })
  checkTerms(deps, session, approval)
  checkAgent(deps, session)
  const approved = await kindOf(session).approve(deps, session, signedCard(deps, session, approval), approval)
  if (approved === undefined) throw sessionChanged()
  const closed = await approved.finish()
  // One that is closed shows no cards to choose from, and no way to another passkey.
  return closed === null ? look(deps, caller) : { ...closed, ...NOT_SHOWN }
}

const NOT_SHOWN = { saved: [], othersHavePasskey: false, record: null }

/**
 * What was signed is what the session asks for, or less where that is the cardholder's to say: nothing of the session moves once
 * it is created, but its end (`more-time.ts`).
 */
function checkTerms(deps: SessionDeps, session: ToSign, approval: VerifiedApproval): void {
  const { approvals, seals } = deps
  const { terms, termsHash } = approval
  const kind = kindOf(session)
  const adjust = wishedIn(terms)
  const told = toldIn(deps, session, terms)
  const asked = asAsked(session, terms.approve_by, deps.clock.now())
  if (asked === undefined) throw sessionChanged()
  const isAllowed = Object.keys(kind.adjustmentProblems(asked, adjust)).length === 0
  if (isAllowed && approvals.hashOf(kind.termsOf(asked, terms.card, adjust, told)) === termsHash) return
  throw seals.alarm({ table: 'sessions', merchantId: session.merchantId, id: session.id })
}

/** What of terms could have been the cardholder's own wish. */
function wishedIn(terms: ApprovalTerms): Adjustment {
  if (terms.type !== 'mandate') return {}
  const { amount, valid_until: until } = terms
  return until === null ? { amount } : { amount, valid_until: until }
}

/**
 * The card that was shown, with its seal checked, and that of why it may be approved with; what is written is written only while it is
 * this one, to the letter.
 */
function signedCard({ seals }: SessionDeps, session: ToSign, { terms }: VerifiedApproval): SignedCard {
  const { card } = session
  // Another one was chosen meanwhile, in another tab.
  if (card === null || card.id !== terms.card.id || card.status !== 'active') throw sessionChanged()
  const { networkTokenRef } = card
  if (networkTokenRef === null) throw new Error(`The active card ${card.id} has no token.`)
  seals.check(sealedCard(card, networkTokenRef), card.seal)
  checkHeld(seals, session, card)
  return { ...card, networkTokenRef }
}
