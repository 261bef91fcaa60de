import { expect } from 'vitest'
import { fromPage, newAuthenticator, signIn, type TestOwner } from './owners.ts'
import type { TestService } from './service.ts'

/** What a phone says of itself. */
const PHONE = { 'user-agent': 'Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0' }

export const askDevice = async (owner: TestOwner) => (await owner.post('/api/devices')).body
export const joinDevice = (service: TestService, code: string) => fromPage(service, '/api/new-device', { code }, PHONE)

export async function allowDevice(owner: TestOwner, deviceId: string) {
  const { options } = (await owner.post(`/api/devices/${deviceId}/approval-options`)).body
  return owner.post(`/api/devices/${deviceId}/allow`, { response: owner.authenticator.authenticate(options) })
}

/** A device that has typed the code of an owner. */
export async function typedDevice(service: TestService, owner: TestOwner) {
  const { device_id: id, code } = await askDevice(owner)
  const { visit } = (await joinDevice(service, code)).body
  return { id, visit: visit as string }
}

/** The passkey of a device that was let in, which is not sent yet. */
export async function deviceRegistration(service: TestService, visit: string) {
  const authenticator = newAuthenticator(service)
  const { options } = (await fromPage(service, '/api/new-device/options', { visit })).body
  const response = authenticator.register(options)
  return { authenticator, send: () => fromPage(service, '/api/new-device/passkey', { visit, response }, PHONE) }
}

/** A second device of an owner, with a passkey of its own. */
export async function secondDevice(service: TestService, owner: TestOwner): Promise<TestOwner> {
  const { id, visit } = await typedDevice(service, owner)
  expect((await allowDevice(owner, id)).status).toBe(200)
  const { authenticator, send } = await deviceRegistration(service, visit)
  expect((await send()).status).toBe(200)
  return signIn(service, authenticator)
}
