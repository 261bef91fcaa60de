import {
  DeviceApproval,
  DeviceCode,
  DeviceJoined,
  DeviceParams,
  DeviceView,
  DeviceVisit,
  DeviceWaiting,
  NewDevice,
} from '@mintmark/contract/wire/devices'
import { CeremonyAnswer, Done, SignedIn, VisitAnswer, VisitOptions } from '@mintmark/contract/wire/owner'
import type { HostCookie } from '../../http/cookie.ts'
import { type Route, route } from '../../http/route.ts'
import { deviceNotFound, deviceOver } from '../../owners/errors.ts'
import type { OwnerService, ReadDevice } from '../../owners/service.ts'
import { passkeyFailed, passkeyRequired } from '../../passkeys/errors.ts'
import { invalidState } from '../../platform/errors.ts'
import { arrivalOf, begun, NOBODY_YET, VISIT } from './arriving.ts'
import { afterPasskey, DONE, OWNERS } from './common.ts'

const ONE = { ...OWNERS, method: 'POST', params: DeviceParams } as const

/** Another device of an owner: what is done on the one that is signed in, and on the one that is let in. */
export function deviceRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...OWNERS,
      method: 'POST',
      path: '/api/devices',
      operationId: 'askDevice',
      summary: 'Show a code that another device types',
      response: NewDevice,
      errors: [],
      async handler({ caller }) {
        const { deviceId, code, endsAt } = await owners.askDevice(caller)
        return { device_id: deviceId, code, ends_at: endsAt.toISOString() }
      },
    }),
    route({
      ...ONE,
      method: 'GET',
      path: '/api/devices/:deviceId',
      operationId: 'readDevice',
      summary: 'Who has typed the code',
      response: DeviceView,
      errors: [deviceNotFound],
      handler: async ({ caller, params }) => toWireDevice(await owners.readDevice(caller, params.deviceId)),
    }),
    ...answerRoutes(owners, cookie),
    ...newDeviceRoutes(owners, cookie),
  ]
}

function answerRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...ONE,
      path: '/api/devices/:deviceId/approval-options',
      operationId: 'deviceApprovalOptions',
      summary: 'The statement that names the device, and the passkey challenge that binds it',
      response: DeviceApproval,
      errors: [deviceNotFound, deviceOver, passkeyRequired],
      handler: ({ caller, params }) => owners.deviceApproval(caller, params.deviceId),
    }),
    route({
      ...ONE,
      path: '/api/devices/:deviceId/allow',
      operationId: 'allowDevice',
      summary: 'Let the device in, by a signature over the statement',
      body: CeremonyAnswer,
      response: Done,
      errors: [deviceNotFound, deviceOver, passkeyFailed],
      async handler({ caller, params: { deviceId }, body: { response } }) {
        await owners.allowDevice(caller, { deviceId, response })
        return afterPasskey([owners, cookie], caller, DONE)
      },
    }),
    route({
      ...ONE,
      path: '/api/devices/:deviceId/refuse',
      operationId: 'refuseDevice',
      summary: 'Say no to the device',
      response: Done,
      errors: [deviceNotFound, deviceOver],
      async handler({ caller, params }) {
        await owners.refuseDevice(caller, params.deviceId)
        return DONE
      },
    }),
  ]
}

/** No owner is signed in on it: it has the code, then its own word for itself. */
function newDeviceRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...VISIT,
      path: '/api/new-device',
      operationId: 'joinDevice',
      summary: 'Type the code that the other device shows',
      auth: NOBODY_YET,
      body: DeviceCode,
      response: DeviceJoined,
      errors: [deviceOver],
      async handler({ body, client }) {
        const { device } = arrivalOf(cookie, client())
        const { visit, endsAt } = await owners.joinDevice(body.code, device)
        return { visit, ends_at: endsAt.toISOString() }
      },
    }),
    route({
      ...VISIT,
      path: '/api/new-device/standing',
      operationId: 'waitForDevice',
      summary: 'Whether the other device has let this one in',
      auth: NOBODY_YET,
      body: DeviceVisit,
      response: DeviceWaiting,
      errors: [deviceOver],
      handler: async ({ body }) => ({ status: await owners.waitingDevice(body.visit) }),
    }),
    route({
      ...VISIT,
      path: '/api/new-device/options',
      operationId: 'newDeviceOptions',
      summary: 'Begin to make the passkey of this device',
      auth: NOBODY_YET,
      body: DeviceVisit,
      response: VisitOptions,
      errors: [deviceOver],
      handler: ({ body }) => owners.newDeviceOptions(body.visit),
    }),
    route({
      ...VISIT,
      path: '/api/new-device/passkey',
      operationId: 'registerDevice',
      summary: 'Store the passkey of this device, and be signed in on it',
      auth: NOBODY_YET,
      body: VisitAnswer,
      response: SignedIn,
      errors: [passkeyFailed, deviceOver, invalidState],
      handler: async ({ body, client }) =>
        begun(cookie, await owners.registerDevice(body.visit, body.response, arrivalOf(cookie, client()))),
    }),
  ]
}

function toWireDevice({ id, status, browser, system, place, endsAt }: ReadDevice): DeviceView {
  const device = place === null ? null : { browser, system, place }
  return { device_id: id, status, device, ends_at: endsAt.toISOString() }
}
