// Guarantee: for 30 days after a recovery both pages say that the passkey is new, whatever has become of that passkey.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askFor } from '../../test/agents.ts'
import { launch } from '../../test/cardholder.ts'
import { secondDevice } from '../../test/devices.ts'
import { signIn } from '../../test/owners.ts'
import { newPasskey, ownerWithCard, WAIT_SECONDS, waitingRecovery } from '../../test/recovery.ts'
import { startTestService, type TestService } from '../../test/service.ts'

const DAY = 24 * 60 * 60

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: { SMTP_URL: 'smtp://127.0.0.1:9' } })
})
afterAll(async () => service?.close())

test('both pages say that the passkey is new, also once the one that was made then has ended', async () => {
  const { address, agent } = await ownerWithCard(service)
  const { recovery } = await waitingRecovery(service, address)
  await service.clock.advance(WAIT_SECONDS + 1)
  const { authenticator, send } = await newPasskey(service, recovery)
  expect((await send()).status).toBe(200)
  const first = await signIn(service, authenticator)
  const { made_at } = (await first.get('/api/recoveries')).body

  const second = await secondDevice(service, first)
  const [passkey] = (await second.get('/api/passkeys')).body.passkeys
  expect((await second.post(`/api/passkeys/${passkey.passkey_id}/end`)).status).toBe(200)
  expect((await second.get('/api/recoveries')).body).toMatchObject({ made_at })
  const madeAt = async () => {
    const { payment_url } = (await askFor(agent, { total_amount: '5.00' })).body
    return (await launch(service, payment_url)).body.view.passkey_made_at
  }
  expect(await madeAt()).toBe(made_at)
  await service.clock.advance(30 * DAY)
  expect(await madeAt()).toBeNull()
})
