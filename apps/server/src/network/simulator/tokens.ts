import { transaction } from '../../db/transaction.ts'
import { randomText } from '../../platform/ids.ts'
import { secret } from '../../platform/secret.ts'
import { declined, ok } from '../answers.ts'
import type {
  NetworkAnswer,
  ProvisionRequest,
  ProvisionResult,
  Standing,
  StepUpRequest,
  TokenResult,
  VerifyRequest,
} from '../port.ts'
import { designOf } from './card-designs.ts'
import { type CardFacts, readCard } from './card-number.ts'
import { type SimulatorDeps, single } from './deps.ts'
import { ConnectionReset, happensNow, lost } from './faults.ts'
import { decideProvision } from './rules.ts'
import * as store from './store.ts'
import { STEP_UP_CODE, STEP_UP_TRIES } from './test-cards.ts'

const RIGHT_CODE = secret(STEP_UP_CODE)

/**
 * `CardNetwork.provision`. Every entry is judged, also of a card that has its token: a repeated entry with a wrong CVV is
 * refused, and changes nothing.
 */
export async function provision(
  deps: SimulatorDeps,
  request: ProvisionRequest,
): Promise<NetworkAnswer<ProvisionResult>> {
  const { clock, cipher } = deps
  const { cardId, cardNumber, expiryMonth, expiryYear, cvv, stepUp } = request
  const fingerprint = cipher.fingerprint(cardNumber, cardId)
  const card = readCard(cardNumber, cvv)
  const decision = decideProvision(card, { month: expiryMonth, year: expiryYear }, clock.now())
  if (!decision.allowed) return declined(decision.reason)

  // Where no cardholder is, there is no device to bind.
  const binds = card.behaviour === 'device_binding_fails_once' && stepUp !== 'never'
  if (binds && (await failsBinding(deps, cardId, fingerprint))) {
    return declined('DEVICE_BINDING_FAILED')
  }
  // Claimed before it is looked for: a card that is new, as most are, costs one statement.
  const claimed = await claimToken(deps, request, card, fingerprint)
  if (claimed === undefined) return provisionAgain(deps, await store.findToken(deps.pool, { cardId }), request)
  if (card.behaviour === 'provision_answer_lost' && (await happensNow(deps, cardId, card.behaviour))) return lost(deps)
  return answerProvision(claimed)
}

/** Once for a card id, and never of one that has its token already, or of the same card that waits for its code. */
async function failsBinding(deps: SimulatorDeps, cardId: string, fingerprint: Buffer): Promise<boolean> {
  const token = await store.findToken(deps.pool, { cardId })
  const hasOutcome = token !== undefined && (token.tokenRef !== null || isOfCard(token, fingerprint))
  return !hasOutcome && (await happensNow(deps, cardId, 'device_binding_fails_once'))
}

/** Also where no card came before the end. */
function isOfCard({ state, cardFingerprint }: store.Token, fingerprint: Buffer): boolean {
  return state === 'deleted' || cardFingerprint?.equals(fingerprint) === true
}

function claimToken(deps: SimulatorDeps, request: ProvisionRequest, card: CardFacts, fingerprint: Buffer) {
  const { cardId, stepUp } = request
  const { behaviour, last4, brand } = card
  const asks = stepUp === 'required' || (stepUp === 'if_needed' && behaviour === 'step_up')
  const state = asks ? ('step_up' as const) : ('active' as const)
  const tokenRef = state === 'active' ? newTokenRef() : null
  const row = { cardId, tokenRef, state, fingerprint, last4, brand, behaviour, at: deps.clock.now() }
  return store.claimToken(single(deps), row)
}

/** Another entry of a card that has its token, or waits for it: the token stays as it is. */
async function provisionAgain(
  deps: SimulatorDeps,
  token: store.Token | undefined,
  { cardId, entryId, stepUp }: ProvisionRequest,
): Promise<NetworkAnswer<ProvisionResult>> {
  if (token?.state === 'step_up' && stepUp === 'never') {
    await store.claimStepUp(single(deps), { cardId, tokenRef: newTokenRef(), at: deps.clock.now() })
    return answerProvision(await store.findToken(deps.pool, { cardId }))
  }
  if (token?.state !== 'active' || stepUp !== 'required') return answerProvision(token)
  await store.insertStepUp(single(deps), { entryId, cardId, at: deps.clock.now() })
  const asked = await store.findStepUp(deps.pool, { entryId, cardId })
  if (asked?.state === 'exhausted') return declined('STEP_UP_EXHAUSTED')
  return asked?.state === 'passed' ? answerProvision(token) : ok({ state: 'step_up', hint: HINT })
}

const HINT = 'a text message to the phone number your bank has on file'

function answerProvision(token: store.Token | undefined): NetworkAnswer<ProvisionResult> {
  switch (token?.state) {
    case undefined:
      return declined('NOT_FOUND')
    case 'step_up':
      return ok({ state: 'step_up', hint: HINT })
    case 'step_up_exhausted':
      return declined('STEP_UP_EXHAUSTED')
    case 'active':
      return ok({ state: 'provisioned', tokenRef: token.tokenRef ?? '', design: designOf(token.cardBrand) })
    case 'deleted':
      return declined('TOKEN_NOT_ACTIVE')
  }
}

/** `CardNetwork.completeStepUp`. The last wrong code is told that no try is left. */
export async function completeStepUp(
  deps: SimulatorDeps,
  { cardId, entryId, code }: StepUpRequest,
): Promise<NetworkAnswer<TokenResult>> {
  const right = deps.cipher.same(code, RIGHT_CODE)
  const ofEntry = (await store.findStepUp(deps.pool, { entryId, cardId })) !== undefined
  const moved = ofEntry ? await moveEntry(deps, { cardId, entryId }, right) : await moveToken(deps, cardId, right)
  if (moved === 'exhausted') return declined('STEP_UP_EXHAUSTED')
  if (moved === 'wrong' || !right) return declined('STEP_UP_CODE_WRONG')
  const answer = answerProvision(await store.findToken(deps.pool, { cardId }))
  if (answer.outcome !== 'ok') return answer
  if (answer.value.state === 'provisioned') {
    const { tokenRef, design } = answer.value
    return ok({ tokenRef, design })
  }
  return declined('STEP_UP_CODE_WRONG')
}

/** `settled`: right now, or before. */
type Moved = 'settled' | 'wrong' | 'exhausted'

/** A code for a card that waits for its token. */
async function moveToken(deps: SimulatorDeps, cardId: string, right: boolean): Promise<Moved> {
  if (right) {
    await store.claimStepUp(single(deps), { cardId, tokenRef: newTokenRef(), at: deps.clock.now() })
    return 'settled'
  }
  const counted = await store.updateWrongCode(single(deps), { cardId, tries: STEP_UP_TRIES })
  if (counted !== undefined) return counted.state === 'step_up_exhausted' ? 'exhausted' : 'wrong'
  const token = await store.findToken(deps.pool, { cardId })
  return token?.state === 'step_up_exhausted' ? 'exhausted' : 'wrong'
}

/** A code for one entry of a card that has its token. */
async function moveEntry(
  deps: SimulatorDeps,
  entry: { cardId: string; entryId: string },
  right: boolean,
): Promise<Moved> {
  const moved = right
    ? await store.claimEntryStepUp(single(deps), entry)
    : await store.updateEntryWrongCode(single(deps), { ...entry, tries: STEP_UP_TRIES })
  const state = (moved ?? (await store.findStepUp(deps.pool, entry)))?.state
  if (state === 'exhausted') return 'exhausted'
  return right && state === 'passed' ? 'settled' : 'wrong'
}

/** `CardNetwork.verifyCard`: the judgement of an entry, without the entry. */
export async function verifyCard(
  { clock }: SimulatorDeps,
  { cardNumber, expiryMonth, expiryYear, cvv }: VerifyRequest,
): Promise<NetworkAnswer<Record<never, never>>> {
  const expiry = { month: expiryMonth, year: expiryYear }
  const decision = decideProvision(readCard(cardNumber, cvv), expiry, clock.now())
  return decision.allowed ? ok({}) : declined(decision.reason)
}

/**
 * `CardNetwork.deleteToken`. Everything the token paid for ends with it, in the same transaction. The token's row is taken first,
 * which a registration of an instruction takes too; a mint takes its instruction's. Either has committed by then or is refused.
 */
export async function deleteToken(
  deps: SimulatorDeps,
  { cardId, tokenRef }: { cardId: string; tokenRef: string | null },
): Promise<NetworkAnswer<Record<never, never>>> {
  const token = await store.findToken(deps.pool, { cardId })
  if (tokenRef !== null && token?.tokenRef !== tokenRef) return declined('NOT_FOUND')
  const behaviour = token?.behaviour
  if (behaviour === 'deletion_fails_once' && (await happensNow(deps, cardId, behaviour))) throw new ConnectionReset()
  const at = deps.clock.now()
  await transaction(deps.pool, async (tx) => {
    const ended = await store.endToken(tx, { cardId, at })
    if (ended === undefined || ended.tokenRef === null) return
    await store.updateCancelledOfToken(tx, { tokenRef: ended.tokenRef, at })
    await store.updateCredentialsOfTokenClosed(tx, { tokenRef: ended.tokenRef })
  })
  if (behaviour === 'deletion_answer_lost' && (await happensNow(deps, cardId, behaviour))) return lost(deps)
  return ok({})
}

/** `CardNetwork.inquireToken`. */
export async function inquireToken(
  { pool }: SimulatorDeps,
  { cardId, tokenRef }: { cardId: string; tokenRef: string },
): Promise<NetworkAnswer<{ state: Standing }>> {
  const token = await store.findToken(pool, { cardId })
  if (token?.state === 'deleted') return ok({ state: 'ended' })
  return ok({ state: token?.state === 'active' && token.tokenRef === tokenRef ? 'active' : 'not_found' })
}

function newTokenRef(): string {
  return `ntk_${randomText(16)}`
}
