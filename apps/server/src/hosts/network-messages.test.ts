// Guarantee: a message of the card network is taken where the network has signed its raw bytes, and moves nothing by
// itself; what is answered with 200 is open work.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dbRow } from '../../test/flows.ts'
import { workLeft } from '../../test/rows/work.ts'
import { call, PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { lapsing } from '../charges/testing/lapse.ts'
import { paidAt } from '../charges/testing/observed.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import type { CapableNetwork } from '../network/capabilities.ts'
import type { NetworkMessage } from '../network/events-port.ts'

const PATH = '/v1/network/stripe/events'
/** A network whose messages come over HTTP. */
const overHttp = (simulated: CapableNetwork): CapableNetwork => {
  if (simulated.events === undefined) throw new Error('The network tells nothing.')
  return { ...simulated, events: { ...simulated.events, path: PATH } }
}
let service: TestService
let merchant: TestMerchant
let at: ReturnType<typeof lapsing>
beforeAll(async () => {
  service = await startTestService({ env: PATIENT, createNetwork: overHttp })
  merchant = service.merchant
  at = lapsing([service], merchant, await newOwner(service))
})
afterAll(() => service?.close())

const send = ({ body, headers }: NetworkMessage, to = service) =>
  call(to.apiUrl + PATH, { method: 'POST', body: new Uint8Array(body), headers: headers as Record<string, string> })

/** A charge that was captured, of which the service has heard nothing yet. */
async function captured() {
  const { id: mandateId, made, txn: chargeId } = await at.charged()
  await paidAt(service, merchant, made)
  const { authorization_id: authorizationId } = await dbRow(
    service,
    'select authorization_id from simnet.authorizations where charge_id = $1',
    [chargeId],
  )
  const { network } = service.app.parts
  await network.followUp({ authorizationId, kind: 'captured', amountMinor: null, isPartial: false })
  return { chargeId, message: network.messageOf({ chargeId, mandateId }) }
}
const workOn = async (chargeId: string) => (await workLeft(service.pool, 'observation', [chargeId])).length

test('is open work with its 200, and moves nothing before the network was asked', async () => {
  const { chargeId, message } = await captured()
  for (const _ of ['once', 'again']) {
    expect(await send(message)).toMatchObject({ status: 200, body: { received: true } })
  }
  expect((await at.rowOf(chargeId)).status).toBe('awaiting_result')
  expect(await workOn(chargeId)).toBe(1)
  await service.job('charges.observe').run()
  expect((await at.rowOf(chargeId)).status).toBe('completed')
  expect(await workOn(chargeId)).toBe(0)
})

test('that is not signed, or was changed, is refused; one that is too large is not read', async () => {
  const { chargeId, message } = await captured()
  const changed = Buffer.from(message.body)
  changed[3] = (changed[3] ?? 0) ^ 1
  for (const strange of [
    { ...message, headers: {} },
    { ...message, body: changed },
    { ...message, body: Buffer.alloc(0) },
  ]) {
    expect(await send(strange)).toMatchObject({ status: 400, body: { error: { code: 'VAL_2001' } } })
  }
  expect((await send({ ...message, body: Buffer.alloc(65_537, 32) })).status).toBe(413)
  expect(await workOn(chargeId)).toBe(0)
})

test('about a charge that is nowhere is taken, and leaves nothing', async () => {
  const message = service.app.parts.network.messageOf({ chargeId: 'txn_none', mandateId: 'mdt_none' })
  expect(await send(message)).toMatchObject({ status: 200 })
  expect(await workOn('txn_none')).toBe(0)
})

test('has no address where the network sends none, and is in no published description', async () => {
  const other = await startTestService({ env: PATIENT, database: service.database })
  try {
    const { message } = await captured()
    expect((await send(message, other)).status).toBe(404)
    expect(JSON.stringify((await call(`${service.apiUrl}/openapi.json`)).body)).not.toContain('/network/')
  } finally {
    await other.close()
  }
})
