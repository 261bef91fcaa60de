import { secret } from '../../platform/secret.ts'
import { declined, ok, wrongCode } from '../answers.ts'
import type { NetworkAnswer, NewCodeRequest, StepUpRequest, TokenResult } from '../port.ts'
import { type SimulatorDeps, single } from './deps.ts'
import * as store from './store.ts'
import { STEP_UP_TRIES, stepUpCode } from './test-cards.ts'
import { answerProvision, newTokenRef } from './tokens.ts'

/** `CardNetwork.completeStepUp`. A wrong code is told how many tries are left, and the last one that none is. */
export async function completeStepUp(
  deps: SimulatorDeps,
  { cardId, entryId, code }: StepUpRequest,
): Promise<NetworkAnswer<TokenResult>> {
  const stepUp = await store.findStepUp(deps.pool, { entryId, cardId })
  const { codeNumber } = stepUp ?? (await store.findToken(deps.pool, { cardId })) ?? { codeNumber: 0 }
  const typed = { codeNumber, isRight: deps.cipher.same(code, secret(stepUpCode(codeNumber))) }
  const moved =
    stepUp === undefined ? await moveToken(deps, cardId, typed) : await moveEntry(deps, { cardId, entryId }, typed)
  if (moved === 'exhausted') return declined('STEP_UP_EXHAUSTED')
  if (moved !== 'settled') return wrongCode(moved.triesLeft)
  const answer = answerProvision(await store.findToken(deps.pool, { cardId }))
  if (answer.outcome !== 'ok') return answer
  if (answer.value.state === 'provisioned') {
    const { tokenRef, design } = answer.value
    return ok({ tokenRef, design })
  }
  return wrongCode()
}

/** `settled`: right now, or before. Else it was wrong. */
type Moved = 'settled' | 'exhausted' | { triesLeft?: number }

/** What was typed, as against the code of this number. */
interface Typed {
  codeNumber: number
  isRight: boolean
}

/** A code for a card that waits for its token. */
async function moveToken(deps: SimulatorDeps, cardId: string, { codeNumber, isRight }: Typed): Promise<Moved> {
  if (isRight) {
    await store.claimStepUp(single(deps), { cardId, codeNumber, tokenRef: newTokenRef(), at: deps.clock.now() })
    return 'settled'
  }
  const counted = await store.updateWrongCode(single(deps), { cardId, tries: STEP_UP_TRIES })
  const state = counted?.state ?? (await store.findToken(deps.pool, { cardId }))?.state
  return state === 'step_up_exhausted' ? 'exhausted' : leftAfter(counted)
}

/** Nothing was counted of a code that came after the end. */
function leftAfter(counted: { wrongCodeCount: number } | undefined): { triesLeft?: number } {
  return counted === undefined ? {} : { triesLeft: STEP_UP_TRIES - counted.wrongCodeCount }
}

/** A code for one entry of a card that has its token. */
async function moveEntry(
  deps: SimulatorDeps,
  entry: { cardId: string; entryId: string },
  { codeNumber, isRight }: Typed,
): Promise<Moved> {
  const counted = isRight
    ? undefined
    : await store.updateEntryWrongCode(single(deps), { ...entry, tries: STEP_UP_TRIES })
  const passed = isRight ? await store.claimEntryStepUp(single(deps), { ...entry, codeNumber }) : undefined
  const state = (counted ?? passed ?? (await store.findStepUp(deps.pool, entry)))?.state
  if (state === 'exhausted') return 'exhausted'
  return isRight && state === 'passed' ? 'settled' : leftAfter(counted)
}

/** `CardNetwork.sendNewCode`: nothing is sent, and another code is the right one. */
export async function sendNewCode(
  deps: SimulatorDeps,
  { cardId, entryId, number }: NewCodeRequest,
): Promise<NetworkAnswer<Record<never, never>>> {
  const changed =
    (await store.updateEntryCode(single(deps), { cardId, entryId, number })) ??
    (await store.updateCode(single(deps), { cardId, number }))
  if (changed !== undefined) return ok({})
  const stepUp = await store.findStepUp(deps.pool, { entryId, cardId })
  if (stepUp?.state === 'exhausted') return declined('STEP_UP_EXHAUSTED')
  const answer = answerProvision(await store.findToken(deps.pool, { cardId }))
  // One that has its token already waits for no code.
  return answer.outcome === 'ok' ? ok({}) : answer
}
