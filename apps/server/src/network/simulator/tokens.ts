import { transaction } from '../../db/transaction.ts'
import { randomText } from '../../platform/ids.ts'
import { type Secret, secret } from '../../platform/secret.ts'
import { declined, ok } from '../answers.ts'
import type { NetworkAnswer, ProvisionRequest, ProvisionResult } from '../port.ts'
import { readCard } from './card-number.ts'
import { type SimulatorDeps, single } from './deps.ts'
import { ConnectionReset, happensNow, lost } from './faults.ts'
import { decideProvision } from './rules.ts'
import * as store from './store.ts'
import { STEP_UP_CODE, STEP_UP_TRIES } from './test-cards.ts'

const RIGHT_CODE = secret(STEP_UP_CODE)

/** The card id has a token already, or the same card waits for its code: the first outcome is returned again. */
function hasOutcome(token: store.Token | undefined, fingerprint: Buffer): token is store.Token {
  return token !== undefined && (token.tokenRef !== null || token.cardFingerprint.equals(fingerprint))
}

/** `CardNetwork.provision`. */
export async function provision(
  deps: SimulatorDeps,
  request: ProvisionRequest,
): Promise<NetworkAnswer<ProvisionResult>> {
  const { pool, clock, cipher } = deps
  const { cardId, cardNumber, expiryMonth, expiryYear, cvv } = request
  const fingerprint = cipher.fingerprint(cardNumber)
  const existing = await store.findToken(pool, { cardId })
  if (hasOutcome(existing, fingerprint)) return answerProvision(existing)

  const card = readCard(cardNumber, cvv)
  const { behaviour, last4 } = card
  const decision = decideProvision(card, { month: expiryMonth, year: expiryYear }, clock.now())
  if (!decision.allowed) return declined(decision.reason)
  if (behaviour === 'device_binding_fails_once' && (await happensNow(deps, cardId, behaviour))) {
    return declined('DEVICE_BINDING_FAILED')
  }
  const state = behaviour === 'step_up' ? ('step_up' as const) : ('active' as const)
  const tokenRef = state === 'active' ? newTokenRef() : null
  const claimed = await store.claimToken(single(deps), {
    cardId,
    tokenRef,
    state,
    fingerprint,
    last4,
    behaviour,
    at: clock.now(),
  })
  if (behaviour === 'provision_answer_lost' && (await happensNow(deps, cardId, behaviour))) return lost()
  return answerProvision(claimed ?? (await store.findToken(pool, { cardId })))
}

function answerProvision(token: store.Token | undefined): NetworkAnswer<ProvisionResult> {
  switch (token?.state) {
    case undefined:
      return declined('NOT_FOUND')
    case 'step_up':
      return ok({ state: 'step_up', hint: 'a text message to the phone number your bank has on file' })
    case 'step_up_exhausted':
      return declined('STEP_UP_EXHAUSTED')
    case 'active':
      return ok({ state: 'provisioned', tokenRef: token.tokenRef ?? '' })
    case 'deleted':
      return declined('TOKEN_NOT_ACTIVE')
  }
}

/** `CardNetwork.completeStepUp`. The last wrong code is told that no try is left. */
export async function completeStepUp(
  deps: SimulatorDeps,
  { cardId, code }: { cardId: string; code: Secret },
): Promise<NetworkAnswer<{ tokenRef: string }>> {
  const { pool, clock, cipher } = deps
  const right = cipher.same(code, RIGHT_CODE)
  if (right) {
    const claimed = await store.claimStepUp(single(deps), { cardId, tokenRef: newTokenRef(), at: clock.now() })
    if (claimed !== undefined) return ok({ tokenRef: claimed.tokenRef })
  } else {
    const counted = await store.updateWrongCode(single(deps), { cardId, tries: STEP_UP_TRIES })
    if (counted !== undefined) {
      return declined(counted.state === 'step_up_exhausted' ? 'STEP_UP_EXHAUSTED' : 'STEP_UP_CODE_WRONG')
    }
  }
  // No step-up is open: it ended before, or there never was one.
  const answer = answerProvision(await store.findToken(pool, { cardId }))
  if (answer.outcome !== 'ok') return answer
  if (right && answer.value.state === 'provisioned') return ok({ tokenRef: answer.value.tokenRef })
  return declined('STEP_UP_CODE_WRONG')
}

/** `CardNetwork.deleteToken`. Everything the token paid for ends with it, in the same transaction. */
export async function deleteToken(
  deps: SimulatorDeps,
  { cardId, tokenRef }: { cardId: string; tokenRef: string },
): Promise<NetworkAnswer<Record<never, never>>> {
  const token = await store.findToken(deps.pool, { cardId })
  if (token?.tokenRef !== tokenRef) return declined('NOT_FOUND')
  if (token.behaviour === 'deletion_fails') throw new ConnectionReset()
  const at = deps.clock.now()
  await transaction(deps.pool, async (tx) => {
    if ((await store.deleteToken(tx, { cardId, at })) === 0) return
    await store.updateCancelledOfToken(tx, { tokenRef, at })
    await store.updateCredentialsOfTokenClosed(tx, { tokenRef })
  })
  return ok({})
}

function newTokenRef(): string {
  return `ntk_${randomText(16)}`
}
