import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { secret } from '../../platform/secret.ts'
import { type Actor, many, okValue, reasonIs, required, URL_OF_SHOP } from './conformance-actor.ts'
import type { Start } from './conformance-cards.ts'

export function describeVerification(start: Start): void {
  test('is judged as an entry of it would be, and nothing is made of it', async (context) => {
    const actor = start()
    const { cardNumber, expiryMonth, expiryYear, cvv, ...entry } = actor.cardRequest()
    const card = { cardNumber, expiryMonth, expiryYear, cvv }
    expect(await actor.network.verifyCard(card)).toMatchObject({ outcome: 'ok' })
    expect(await actor.network.verifyCard({ ...card, cvv: secret('000') })).toEqual(reasonIs('CVV_MISMATCH'))
    expect(await actor.network.verifyCard({ ...card, expiryYear: 2001 })).toEqual(reasonIs('CARD_EXPIRED'))
    const refused = actor.cardRequest(required(context, actor.subject.testCards.refused))
    expect(await actor.network.verifyCard(refused)).toMatchObject({ outcome: 'declined' })
    const none = await actor.network.deleteToken({ cardId: entry.cardId, tokenRef: 'none' })
    expect(none).toEqual(reasonIs('NOT_FOUND'))
  })
}

/** A card that ended, where the service does not know whether it has a token. */
export function describeUnheard(start: Start): void {
  const end = (actor: Actor, { cardId }: { cardId: string }) => actor.network.deleteToken({ cardId, tokenRef: null })

  test('the token that it has is ended, with what was made from it; again, without complaint', async () => {
    const actor = start()
    const request = actor.cardRequest()
    const { tokenRef } = okValue(await actor.network.provision(request)) as { tokenRef: string }
    const charge = await actor.charge({ tokenRef })
    for (const _ of ['once', 'again']) expect(await end(actor, request)).toMatchObject({ outcome: 'ok' })
    expect(await actor.network.mint(charge)).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
    expect(await actor.network.provision(request)).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
    expect(await actor.network.deleteToken({ cardId: request.cardId, tokenRef })).toMatchObject({ outcome: 'ok' })
  })

  test('one that has none gets none from then on, by whichever entry', async (context) => {
    const actor = start()
    const request = actor.cardRequest()
    expect(await end(actor, request)).toMatchObject({ outcome: 'ok' })
    const { stepUp } = actor.subject.testCards
    const others = stepUp === undefined ? [] : [actor.cardRequest(required(context, stepUp))]
    for (const entry of [request, { ...request, entryId: randomUUID(), cvv: null }, ...others]) {
      const late = { ...entry, cardId: request.cardId }
      expect(await actor.network.provision(late)).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
    }
  })

  test('no code makes a token of it', async (context) => {
    const actor = start()
    const card = required(context, actor.subject.testCards.stepUp)
    const request = actor.cardRequest(card)
    await actor.network.provision(request)
    expect(await end(actor, request)).toMatchObject({ outcome: 'ok' })
    const { cardId, entryId } = request
    const coded = await actor.network.completeStepUp({ cardId, entryId, code: secret(card.code) })
    expect(coded).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
    const { cardNumber, cvv } = actor.cardRequest()
    expect(await actor.network.provision({ ...request, cardNumber, cvv })).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
  })

  test('entries on their way at that moment leave no token', async () => {
    const actor = start()
    await Promise.all(
      many(8, async () => {
        const request = actor.cardRequest()
        const [, ended] = await Promise.all([actor.network.provision(request), end(actor, request)])
        expect(ended).toMatchObject({ outcome: 'ok' })
        expect(await actor.network.provision(request)).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
      }),
    )
  })
}

export function describeDeletion(start: Start): void {
  test('a deleted token is deleted again without complaint, and its instructions have ended', async () => {
    const actor = start()
    const token = await actor.token()
    const charge = await actor.charge({ tokenRef: token.tokenRef })
    expect(await actor.network.deleteToken(token)).toMatchObject({ outcome: 'ok' })
    expect(await actor.network.deleteToken(token)).toMatchObject({ outcome: 'ok' })
    expect(await actor.network.mint(charge)).toEqual({ outcome: 'declined', reason: 'TOKEN_NOT_ACTIVE' })
    const late = await actor.network.registerInstruction(await actor.terms({ tokenRef: token.tokenRef }))
    expect(late).toEqual({ outcome: 'declined', reason: 'TOKEN_NOT_ACTIVE' })
  })

  test('a token that does not exist is not found', async () => {
    const actor = start()
    const answer = await actor.network.deleteToken({ cardId: newId('card'), tokenRef: 'none' })
    expect(answer).toEqual({ outcome: 'declined', reason: 'NOT_FOUND' })
  })

  test('16 deletions together all succeed', async () => {
    const actor = start()
    const token = await actor.token()
    const answers = await Promise.all(many(16, () => actor.network.deleteToken(token)))
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['ok']))
  })

  test('needs both names of the token', async () => {
    const actor = start()
    const [token, other] = [await actor.token(), await actor.token()]
    const { tokenRef } = other
    expect(await actor.network.deleteToken({ ...token, tokenRef })).toEqual(reasonIs('NOT_FOUND'))
    for (const { tokenRef } of [token, other]) await actor.charge({ tokenRef })
  })

  test('one that fails is unknown and deletes nothing; again, it succeeds', async (context) => {
    const actor = start()
    const token = await actor.token(required(context, actor.subject.testCards.deletionFailsOnce))
    expect(await actor.network.deleteToken(token)).toMatchObject({ outcome: 'unknown' })
    await actor.charge({ tokenRef: token.tokenRef })
    expect(await actor.network.deleteToken(token)).toMatchObject({ outcome: 'ok' })
  })

  test('one whose answer is lost is unknown and has happened; again, it succeeds', async (context) => {
    const actor = start()
    const token = await actor.token(required(context, actor.subject.testCards.deletionAnswerLost))
    const charge = await actor.charge({ tokenRef: token.tokenRef })
    expect(await actor.network.deleteToken(token)).toMatchObject({ outcome: 'unknown' })
    expect(await actor.network.mint(charge)).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
    expect(await actor.network.deleteToken(token)).toMatchObject({ outcome: 'ok' })
  })

  test('the same card under another name gets a token of its own, which the deletion leaves alone', async () => {
    const actor = start()
    const first = actor.cardRequest()
    const { tokenRef } = okValue(await actor.network.provision(first)) as { tokenRef: string }
    expect(await actor.network.deleteToken({ cardId: first.cardId, tokenRef })).toMatchObject({ outcome: 'ok' })
    expect(await actor.network.provision(first)).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
    const second = okValue(await actor.network.provision({ ...first, cardId: `${first.cardId}.2` }))
    expect(second).toMatchObject({ state: 'provisioned', tokenRef: expect.not.stringMatching(tokenRef) })
    expect(await actor.network.deleteToken({ cardId: first.cardId, tokenRef })).toMatchObject({ outcome: 'ok' })
    await actor.charge({ tokenRef: (second as { tokenRef: string }).tokenRef })
  })

  test('no credential can be spent after it, however many are minted meanwhile', async (context) => {
    const actor = start()
    const acquirer = required(context, actor.subject.acquirer)
    const token = await actor.token()
    const charges = await Promise.all(many(8, () => actor.charge({ tokenRef: token.tokenRef })))
    const asked = charges.flatMap((charge) => many(3, () => ({ ...charge, chargeId: newId('charge') })))
    const minting = Promise.all(asked.map((request) => actor.network.mint(request)))
    expect(await actor.network.deleteToken(token)).toMatchObject({ outcome: 'ok' })
    for (const answer of await minting) {
      if (answer.outcome !== 'ok') expect(answer.outcome).toBe('declined')
      else expect(await acquirer(answer.value, { minor: 4_000n, url: URL_OF_SHOP })).toBe(false)
    }
    const late = await Promise.all(
      charges.map((charge) => actor.network.mint({ ...charge, chargeId: newId('charge') })),
    )
    for (const answer of late) expect(answer).toEqual(reasonIs('TOKEN_NOT_ACTIVE'))
  })
}

/** What a deletion leaves to be asked. */
export function describeMintedBefore(start: Start): void {
  test('of what was minted with a deleted token a release says whether it was spent', async (context) => {
    const actor = start()
    const acquirer = required(context, actor.subject.acquirer)
    const token = await actor.token()
    const charge = await actor.charge({ tokenRef: token.tokenRef })
    const other = { ...charge, chargeId: newId('charge') }
    const spent = okValue(await actor.network.mint(charge))
    await actor.network.mint(other)
    expect(await acquirer(spent, { minor: 1n, url: URL_OF_SHOP })).toBe(true)
    await actor.network.deleteToken(token)
    expect(await actor.network.release(charge)).toEqual({ outcome: 'ok', value: { state: 'used' } })
    expect(await actor.network.release(other)).toEqual({ outcome: 'ok', value: { state: 'released' } })
  })
}
