import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Secret, secret } from '../../platform/secret.ts'
import type { ProvisionResult } from '../port.ts'
import { type Actor, cardWithCode, isReason, many, needs, okValue, reasonIs, required } from './conformance-actor.ts'

export type Start = () => Actor

function tokenOf(result: ProvisionResult): string | undefined {
  return result.state === 'provisioned' ? result.tokenRef : undefined
}

export function describeProvisioning(start: Start): void {
  test('a good card gets a token, and the same card id the same one again', async () => {
    const actor = start()
    const request = actor.cardRequest()
    const first = await actor.network.provision(request)
    expect(first).toMatchObject({ outcome: 'ok', value: { state: 'provisioned' } })
    expect(await actor.network.provision(request)).toEqual(first)
  })

  test('a refusal says why, and another card under the same id is a new attempt', async (context) => {
    const actor = start()
    needs(context, actor, 'cardEntry', 'number')
    const refused = actor.cardRequest(required(context, actor.subject.testCards.refused))
    expect(await actor.network.provision(refused)).toMatchObject({ outcome: 'declined' })
    const { cardNumber, cvv } = actor.cardRequest()
    const retry = await actor.network.provision({ ...refused, cardNumber, cvv })
    expect(retry).toMatchObject({ outcome: 'ok', value: { state: 'provisioned' } })
  })

  test('a step-up ends in a token by the right code, and the same again', async (context) => {
    const actor = start()
    const card = cardWithCode(context, actor)
    const request = actor.cardRequest(card)
    expect(await actor.network.provision(request)).toMatchObject({ outcome: 'ok', value: { state: 'step_up' } })
    const { cardId, entryId } = request
    const wrong = await actor.network.completeStepUp({ cardId, entryId, code: secret('000000') })
    expect(wrong).toMatchObject(reasonIs('STEP_UP_CODE_WRONG'))
    const right = await actor.network.completeStepUp({ cardId, entryId, code: secret(card.code) })
    expect(right).toMatchObject({ outcome: 'ok', value: { tokenRef: expect.any(String) } })
    expect(await actor.network.completeStepUp({ cardId, entryId, code: secret(card.code) })).toEqual(right)
  })

  test('wrong codes exhaust a step-up, and then the right one is refused too', async (context) => {
    const actor = start()
    const card = cardWithCode(context, actor)
    const request = actor.cardRequest(card)
    await actor.network.provision(request)
    const complete = (code: Secret) => actor.network.completeStepUp({ ...request, code })
    let answer = await complete(secret('000000'))
    for (let tries = 1; tries < 10 && isReason(answer, 'STEP_UP_CODE_WRONG'); tries += 1) {
      answer = await complete(secret('000000'))
    }
    expect(answer).toEqual({ outcome: 'declined', reason: 'STEP_UP_EXHAUSTED' })
    expect(await complete(secret(card.code))).toEqual({ outcome: 'declined', reason: 'STEP_UP_EXHAUSTED' })
  })
}

export function describeNewCodes(start: Start): void {
  test('a new code ends the one before, leaves as many tries, and is sent once; for a new card and an active one', async (context) => {
    const actor = start()
    const card = cardWithCode(context, actor)
    const fresh = actor.cardRequest(card)
    const known = { ...actor.cardRequest(), stepUp: 'required' as const }
    await actor.network.provision({ ...known, entryId: randomUUID(), stepUp: 'if_needed' })
    for (const asked of [fresh, known]) {
      expect(await actor.network.provision(asked)).toMatchObject({ value: { state: 'step_up' } })
      const complete = (code: string) => actor.network.completeStepUp({ ...asked, code: secret(code) })
      expect(await complete('000000')).toMatchObject(reasonIs('STEP_UP_CODE_WRONG'))
      const answers = await Promise.all(many(8, () => actor.network.sendNewCode({ ...asked, number: 1 })))
      expect(answers).toEqual(many(8, () => ({ outcome: 'ok', value: {} })))
      const former = await complete(card.code)
      expect(former).toMatchObject(reasonIs('STEP_UP_CODE_WRONG'))
      if (former.outcome === 'declined' && former.triesLeft !== undefined) expect(former.triesLeft).toBe(1)
      expect(await actor.network.sendNewCode({ ...asked, number: 0 })).toMatchObject({ outcome: 'ok' })
      expect(await complete(card.newCode)).toMatchObject({ outcome: 'ok' })
    }
  })

  test('no new code brings back a card of which no try is left', async (context) => {
    const actor = start()
    const card = cardWithCode(context, actor)
    const request = actor.cardRequest(card)
    await actor.network.provision(request)
    const guess = () => actor.network.completeStepUp({ ...request, code: secret('000000') })
    let answer = await guess()
    for (let tries = 1; tries < 10 && isReason(answer, 'STEP_UP_CODE_WRONG'); tries += 1) answer = await guess()
    expect(await actor.network.sendNewCode({ ...request, number: 1 })).toEqual(reasonIs('STEP_UP_EXHAUSTED'))
    const none = { cardId: 'card_none', entryId: randomUUID(), number: 1 }
    expect(await actor.network.sendNewCode(none)).toMatchObject({ outcome: 'declined' })
  })
}

export function describeUnattended(start: Start): void {
  test('a card whose cardholder is not there is accepted without CVV and code, and once', async () => {
    const actor = start()
    const alone = { cvv: null, stepUp: 'never' } as const
    const { stepUp } = actor.subject.testCards
    for (const card of stepUp === undefined ? [undefined] : [undefined, stepUp]) {
      const request = { ...actor.cardRequest(card), ...alone }
      const first = await actor.network.provision(request)
      expect(first).toMatchObject({ outcome: 'ok', value: { state: 'provisioned' } })
      expect(await actor.network.provision({ ...request, entryId: randomUUID() })).toEqual(first)
    }
  })

  test('one that waits for its code is accepted as well, and the code is asked for where it must be', async (context) => {
    const actor = start()
    const request = actor.cardRequest(cardWithCode(context, actor))
    expect(await actor.network.provision(request)).toMatchObject({ value: { state: 'step_up' } })
    const alone = await actor.network.provision({ ...request, entryId: randomUUID(), cvv: null, stepUp: 'never' })
    expect(alone).toMatchObject({ outcome: 'ok', value: { state: 'provisioned' } })
    const proof = await actor.network.provision({ ...request, entryId: randomUUID(), stepUp: 'required' })
    expect(proof).toMatchObject({ outcome: 'ok', value: { state: 'step_up' } })
  })

  test('one that the network refuses is refused', async (context) => {
    const actor = start()
    needs(context, actor, 'cardEntry', 'number')
    const refused = actor.cardRequest(required(context, actor.subject.testCards.refused))
    const answer = await actor.network.provision({ ...refused, cvv: null, stepUp: 'never' })
    expect(answer).toMatchObject({ outcome: 'declined' })
  })
}

export function describeEntries(start: Start): void {
  test('another entry of an active card is judged anew, and changes nothing of its token', async (context) => {
    const actor = start()
    needs(context, actor, 'cardEntry', 'number')
    const request = actor.cardRequest()
    const first = await actor.network.provision(request)
    const wrong = { ...request, entryId: randomUUID(), cvv: secret('000') }
    expect(await actor.network.provision(wrong)).toMatchObject({ outcome: 'declined' })
    expect(await actor.network.provision({ ...request, entryId: randomUUID() })).toEqual(first)
  })

  test('a code is asked for when it is required, of an active card and of a new one', async (context) => {
    const actor = start()
    const code = secret(cardWithCode(context, actor).code)
    const request = actor.cardRequest()
    const first = okValue(await actor.network.provision(request))
    const known = { ...request, entryId: randomUUID(), stepUp: 'required' as const }
    const fresh = { ...actor.cardRequest(), stepUp: 'required' as const }
    for (const asked of [known, fresh]) {
      expect(await actor.network.provision(asked)).toMatchObject({ outcome: 'ok', value: { state: 'step_up' } })
      expect(await actor.network.completeStepUp({ ...asked, code: secret('000000') })).toMatchObject(
        reasonIs('STEP_UP_CODE_WRONG'),
      )
      expect(await actor.network.completeStepUp({ ...asked, code })).toMatchObject({ outcome: 'ok' })
    }
    expect(await actor.network.completeStepUp({ ...known, code })).toMatchObject({
      value: { tokenRef: tokenOf(first) },
    })
    expect(await actor.network.provision({ ...request, entryId: randomUUID() })).toEqual({
      outcome: 'ok',
      value: first,
    })
  })

  test('wrong codes exhaust one entry of an active card; the card stays, and another entry works', async (context) => {
    const actor = start()
    const code = secret(cardWithCode(context, actor).code)
    const request = actor.cardRequest()
    const first = await actor.network.provision(request)
    const asked = { ...request, entryId: randomUUID(), stepUp: 'required' as const }
    await actor.network.provision(asked)
    let answer = await actor.network.completeStepUp({ ...asked, code: secret('000000') })
    for (let tries = 1; tries < 10 && isReason(answer, 'STEP_UP_CODE_WRONG'); tries += 1) {
      answer = await actor.network.completeStepUp({ ...asked, code: secret('000000') })
    }
    expect(answer).toEqual(reasonIs('STEP_UP_EXHAUSTED'))
    expect(await actor.network.completeStepUp({ ...asked, code })).toEqual(reasonIs('STEP_UP_EXHAUSTED'))
    expect(await actor.network.provision({ ...request, entryId: randomUUID() })).toEqual(first)
    const again = { ...asked, entryId: randomUUID() }
    await actor.network.provision(again)
    expect(await actor.network.completeStepUp({ ...again, code })).toMatchObject({ outcome: 'ok' })
  })
}
