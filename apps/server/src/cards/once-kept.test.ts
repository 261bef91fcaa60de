// Guarantee: a card that was entered for one payment alone stays when its cardholder or merchant keeps it, and as long as any payment uses it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CARDS, enroll, expectCreated, expectError, newUser, vaultRecord } from '../../test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { numberOf } from '../network/simulator/testing/cards.ts'
import { cardsOf, eventsAbout } from './testing/enrolled.ts'
import { approve, cardOf, GONE, payOnce, reportItem, standing, visit } from './testing/once.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService({ env: { RATE_LIMIT_ENROLLMENT: '100000' } })
  merchant = service.merchant
})
afterAll(() => service?.close())

const stands = (cardId: string) => standing(service, cardId)

describe('somebody keeps it', () => {
  test('entered in another session without the choice, it is kept, and the default', async () => {
    const user = newUser()
    const first = await visit(service, { user })
    const id = await payOnce(service, first)
    const second = await visit(service, { user, authenticator: first.authenticator })
    expect((await second.enter(CARDS.success, {})).body).toMatchObject({ card: { card_id: id }, card_once: false })
    expect(await stands(id)).toMatchObject({ once_sessions: null, is_default: true })
    await reportItem(merchant, first.sessionId)
    await service.clock.advance(3_600)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', work: 0 })
    expect(await cardsOf(merchant, user)).toEqual([`${id} active*`])
  })

  test('refused there, it is not', async () => {
    const user = newUser()
    const first = await visit(service, { user })
    const id = await payOnce(service, first)
    const second = await visit(service, { user, authenticator: first.authenticator })
    expectError(await second.enter(CARDS.success, { cvv: '000' }), 400, 'CARD_REFUSED')
    expect(await stands(id)).toMatchObject({ once_sessions: [first.sessionId] })
  })

  test('provisioned by its merchant, it is kept', async () => {
    const user = newUser()
    const first = await visit(service, { user })
    const id = await payOnce(service, first)
    const vault_ref_id = await vaultRecord(merchant)
    const provisioned = await enroll(merchant, { user_id: user, user_email: `${user}@example.com`, vault_ref_id })
    expectCreated(provisioned)
    expect(provisioned.body).toEqual({ card_id: id })
    await reportItem(merchant, first.sessionId)
    await service.clock.advance(3_600)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', once_sessions: null, is_default: true, work: 0 })
  })

  test('of two sessions that use it just this once, it lives until both have ended', async () => {
    const user = newUser()
    const first = await visit(service, { user })
    const id = await payOnce(service, first)
    const second = await visit(service, { user, authenticator: first.authenticator })
    expect((await second.enter()).body).toMatchObject({ step: 'approval', card: { card_id: id }, card_once: true })
    await reportItem(merchant, first.sessionId)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', once_sessions: [first.sessionId, second.sessionId] })
    expect((await approve(second)).body.outcome).toBe('approved')
    await service.clock.advance(30)
    await service.runJobs()
    expect((await stands(id)).status).toBe('active')
    await reportItem(merchant, second.sessionId)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ ...GONE, tokens: ['deleted'] })
  })

  test('whose deletion had begun, it is deleted first and enrolled anew', async () => {
    const user = newUser()
    const first = await visit(service, { user })
    await first.enter(numberOf('deletion_fails_once'))
    const id = await cardOf(service, first.sessionId)
    await first.page.post('/api/cancel')
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', ending_reason: 'JUST_ONCE' })
    const second = await visit(service, { user })
    const entered = await second.enter(numberOf('deletion_fails_once'), {})
    expect(entered.body).toMatchObject({ step: 'passkey_registration', card: { card_id: id }, card_once: false })
    expect(await stands(id)).toMatchObject({ status: 'active', tokens: ['deleted', 'active'], ending_reason: null })
    await service.clock.advance(3_600)
    await service.runJobs()
    expect(await stands(id)).toMatchObject({ status: 'active', work: 0, is_default: true })
    expect(await eventsAbout(service, id)).toHaveLength(1)
  })
})
