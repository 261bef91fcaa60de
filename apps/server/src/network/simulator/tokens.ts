import { transaction } from '../../db/transaction.ts'
import { randomText } from '../../platform/ids.ts'
import { declined, ok } from '../answers.ts'
import type { NetworkAnswer, ProvisionRequest, ProvisionResult, Standing, VerifyRequest } from '../port.ts'
import { designOf } from './card-designs.ts'
import { type CardFacts, readCard } from './card-number.ts'
import { type SimulatorDeps, single } from './deps.ts'
import { ConnectionReset, happensNow, lost } from './faults.ts'
import { decideProvision } from './rules.ts'
import * as store from './store.ts'

/**
 * `CardNetwork.provision`. Every entry is judged, also of a card that has its token: a repeated entry with a wrong CVV
 * is refused, and changes nothing.
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

  // Without a cardholder there is no device to bind.
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
    await store.claimStepUp(single(deps), { cardId, codeNumber: null, tokenRef: newTokenRef(), at: deps.clock.now() })
    return answerProvision(await store.findToken(deps.pool, { cardId }))
  }
  if (token?.state !== 'active' || stepUp !== 'required') return answerProvision(token)
  await store.insertStepUp(single(deps), { entryId, cardId, at: deps.clock.now() })
  const asked = await store.findStepUp(deps.pool, { entryId, cardId })
  if (asked?.state === 'exhausted') return declined('STEP_UP_EXHAUSTED')
  return asked?.state === 'passed' ? answerProvision(token) : ok({ state: 'step_up', hint: HINT })
}

const HINT = 'a text message to the phone number your bank has on file'

export function answerProvision(token: store.Token | undefined): NetworkAnswer<ProvisionResult> {
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
 * `CardNetwork.deleteToken`. Everything the token paid for ends with it, in the same transaction. The token's row is
 * taken first: who registers an instruction or mints takes it too, and has committed by then or is refused.
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

export function newTokenRef(): string {
  return `ntk_${randomText(16)}`
}
