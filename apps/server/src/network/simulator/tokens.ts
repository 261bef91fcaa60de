import { transaction } from '../../db/transaction.ts'
import { randomText } from '../../platform/ids.ts'
import { type Secret, secret } from '../../platform/secret.ts'
import { declined, ok } from '../answers.ts'
import type { NetworkAnswer, ProvisionRequest, ProvisionResult } from '../port.ts'
import { readCard } from './card-number.ts'
import type { Context } from './context.ts'
import { ConnectionReset, happensNow, lost } from './faults.ts'
import { decideProvision } from './rules.ts'
import * as store from './store.ts'
import { STEP_UP_CODE, STEP_UP_TRIES } from './test-cards.ts'

const RIGHT_CODE = secret(STEP_UP_CODE)

/** The card id has a token already, or the same card waits for its code: the first outcome is answered again. */
function isSettled(token: store.TokenRow | undefined, fingerprint: Buffer): token is store.TokenRow {
  return token !== undefined && (token.token_ref !== null || token.card_fingerprint.equals(fingerprint))
}

/** `CardNetwork.provision`. */
export async function provision(context: Context, request: ProvisionRequest): Promise<NetworkAnswer<ProvisionResult>> {
  const { pool, clock, cipher } = context
  const { cardId, cardNumber, expiryMonth, expiryYear, cvv } = request
  const fingerprint = cipher.fingerprint(cardNumber)
  const existing = await store.findToken(pool, cardId)
  if (isSettled(existing, fingerprint)) return answerProvision(existing)

  const card = readCard(cardNumber, cvv)
  const { behaviour, last4 } = card
  const decision = decideProvision(card, { month: expiryMonth, year: expiryYear }, clock.now())
  if (!decision.allowed) return declined(decision.reason)
  if (behaviour === 'device_binding_fails_once' && (await happensNow(context, cardId, behaviour))) {
    return declined('DEVICE_BINDING_FAILED')
  }
  const state = behaviour === 'step_up' ? ('step_up' as const) : ('active' as const)
  const tokenRef = state === 'active' ? newTokenRef() : null
  const claimed = await store.claimToken(pool, {
    cardId,
    tokenRef,
    state,
    fingerprint,
    last4,
    behaviour,
    at: clock.now(),
  })
  if (behaviour === 'provision_answer_lost' && (await happensNow(context, cardId, behaviour))) return lost()
  return answerProvision(claimed ?? (await store.findToken(pool, cardId)))
}

function answerProvision(token: store.TokenRow | undefined): NetworkAnswer<ProvisionResult> {
  switch (token?.state) {
    case undefined:
      return declined('NOT_FOUND')
    case 'step_up':
      return ok({ state: 'step_up', hint: 'a text message to the phone number your bank has on file' })
    case 'step_up_exhausted':
      return declined('STEP_UP_EXHAUSTED')
    case 'active':
      return ok({ state: 'provisioned', tokenRef: token.token_ref ?? '' })
    case 'deleted':
      return declined('TOKEN_NOT_ACTIVE')
  }
}

/** `CardNetwork.completeStepUp`. The last wrong code answers that no try is left. */
export async function completeStepUp(
  context: Context,
  { cardId, code }: { cardId: string; code: Secret },
): Promise<NetworkAnswer<{ tokenRef: string }>> {
  const { pool, clock, cipher } = context
  const right = cipher.same(code, RIGHT_CODE)
  if (right) {
    const claimed = await store.claimStepUp(pool, cardId, newTokenRef(), clock.now())
    if (claimed !== undefined) return ok({ tokenRef: claimed.token_ref })
  } else {
    const counted = await store.updateWrongCode(pool, cardId, STEP_UP_TRIES)
    if (counted !== undefined) {
      return declined(counted.state === 'step_up_exhausted' ? 'STEP_UP_EXHAUSTED' : 'STEP_UP_CODE_WRONG')
    }
  }
  // No step-up is open: it ended before, or there never was one.
  const answer = answerProvision(await store.findToken(pool, cardId))
  if (answer.outcome !== 'ok') return answer
  const done = right && answer.value.state === 'provisioned'
  return done ? ok({ tokenRef: answer.value.tokenRef }) : declined('STEP_UP_CODE_WRONG')
}

/** `CardNetwork.deleteToken`. Everything the token paid for ends with it, in the same transaction. */
export async function deleteToken(
  context: Context,
  { cardId, tokenRef }: { cardId: string; tokenRef: string },
): Promise<NetworkAnswer<Record<never, never>>> {
  const token = await store.findToken(context.pool, cardId)
  if (token?.token_ref !== tokenRef) return declined('NOT_FOUND')
  if (token.behaviour === 'deletion_fails') throw new ConnectionReset()
  const at = context.clock.now()
  await transaction(context.pool, async (tx) => {
    if ((await store.deleteToken(tx, cardId, at)) === 0) return
    await store.cancelInstructionsOfToken(tx, tokenRef, at)
    await store.closeCredentialsOfToken(tx, tokenRef)
  })
  return ok({})
}

function newTokenRef(): string {
  return `ntk_${randomText(16)}`
}
