import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { codeOf } from '../src/mail/owner-code.ts'
import { STEP_UP_CODE } from '../src/network/simulator/test-cards.ts'
import { createSoftwareAuthenticator } from '../src/passkeys/software-authenticator.ts'
import { deriveKeys } from '../src/platform/keys.ts'
import { linkedAgent, mandateOf } from './agents.ts'
import { fromPage, newAddress, provenVisit, sandboxOwner } from './owners.ts'
import { TEST_ROOT_KEY, type TestService } from './service.ts'

/** As `NARROW` of the walk, which begins recoveries itself. */
const LIMITS = {
  ...{ currency: 'USD', charge: '20.00', day: '50.00', month: '200.00', open: 3 },
  ...{ merchants: null, hours: null, ask_above: null },
}

export const WAIT_SECONDS = 24 * 60 * 60

/** An owner who is told at an address, with an agent, and a card that they have approved with. */
export async function ownerWithCard(service: TestService) {
  const address = newAddress()
  const agent = await linkedAgent(service, { owner: address, limits: LIMITS })
  const owner = await sandboxOwner(service, agent.agentId)
  expect((await owner.post('/api/mail', { email: address })).status).toBe(200)
  const { rows } = await service.pool.query(
    'select merchant_id, customer_id, code_id from owner_addresses where email = $1',
    [address],
  )
  const [{ merchant_id: merchantId, customer_id: customerId, code_id: codeId }] = rows
  const code = codeOf(deriveKeys(TEST_ROOT_KEY).contactLinks, { merchantId, customerId, codeId })
  expect((await owner.post('/api/mail/confirm', { code })).status).toBe(200)
  const mandate = await mandateOf(service, agent)
  return { address, agent, owner, mandate, customerId: customerId as string, merchantId: merchantId as string }
}

type Place = TestService

export const recoveryCall = (service: Place, step: string, body: object, headers?: Record<string, string>) =>
  fromPage(service, `/api/recovery/${step}`, body, headers)

/** A recovery of the owner of an address, up to the card. */
export async function begunRecovery(service: Place, address: string) {
  const visit = await provenVisit(service, address)
  const begun = await fromPage(service, '/api/recovery', { visit })
  expect(begun.status).toBe(200)
  return { visit, recovery: begun.body.recovery as string, cards: begun.body.cards }
}

/** The same, after the card was proven: it waits. */
export async function waitingRecovery(service: Place, address: string) {
  const begun = await begunRecovery(service, address)
  const { recovery, cards } = begun
  const entered = { recovery, card_id: cards[0].card_id, cvv: '123' }
  expect((await recoveryCall(service, 'card', entered)).status).toBe(200)
  expect((await recoveryCall(service, 'code', { recovery, code: STEP_UP_CODE })).status).toBe(200)
  return begun
}

export const standingOf = async (service: Place, recovery: string) =>
  (await recoveryCall(service, 'standing', { recovery })).body

/** The passkey of a recovery that is due, which is not sent yet, as either page uses it. */
export async function newPasskey(service: Place, recovery: string) {
  const settings = { seed: randomBytes(32), salt: randomBytes(16), rpId: 'localhost' }
  const authenticator = createSoftwareAuthenticator({ ...settings, origin: service.ownerUrl })
  const atSurface = createSoftwareAuthenticator({ ...settings, origin: service.surfaceUrl })
  const { options } = (await recoveryCall(service, 'options', { recovery })).body
  const response = authenticator.register(options)
  return { authenticator, atSurface, send: (on = service) => recoveryCall(on, 'passkey', { recovery, response }) }
}
