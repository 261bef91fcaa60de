import { expect, test } from 'vitest'
import { newId, newOrderedId } from '../../platform/ids.ts'
import type { Start } from './conformance-cards.ts'

/** What a service asks that was restored from a backup: how tokens and instructions stand that may have ended since. */
export function describeStanding(start: Start): void {
  const is = (state: string) => ({ outcome: 'ok', value: { state } })

  test('a token: good, ended, none; to ask changes nothing', async () => {
    const actor = start()
    const { network } = actor
    const [token, other] = [await actor.token(), await actor.token()]
    expect(await network.inquireToken(token)).toEqual(is('active'))
    expect(await network.inquireToken({ ...token, tokenRef: other.tokenRef })).toEqual(is('not_found'))
    const none = { cardId: newId('card'), tokenRef: 'none' }
    expect(await network.inquireToken(none)).toEqual(is('not_found'))
    expect(await network.provision({ ...actor.cardRequest(), cardId: none.cardId })).toMatchObject({ outcome: 'ok' })
    await network.deleteToken(token)
    expect(await network.inquireToken(token)).toEqual(is('ended'))
    expect(await network.inquireToken(other)).toEqual(is('active'))
  })

  test('an instruction: good, cancelled, ended with its token, none; to ask changes nothing', async () => {
    const actor = start()
    const { network } = actor
    const [token, other] = [await actor.token(), await actor.token()]
    const ask = ({ mandateId }: { mandateId: string }) => network.inquireInstruction({ mandateId })
    const [one, two] = [await actor.charge(token), await actor.charge({ tokenRef: other.tokenRef })]
    expect([await ask(one), await ask(two)]).toEqual([is('active'), is('active')])
    await network.cancelInstruction(one)
    await network.deleteToken(other)
    expect([await ask(one), await ask(two)]).toEqual([is('ended'), is('ended')])
    const terms = await actor.terms({ mandateId: newOrderedId('mandate', new Date()) })
    expect(await ask(terms)).toEqual(is('not_found'))
    expect(await network.registerInstruction(terms)).toMatchObject({ outcome: 'ok' })
  })
}
