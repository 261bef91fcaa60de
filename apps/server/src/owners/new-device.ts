import type { DeviceView } from '@mintmark/contract/wire/devices'
import { command } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { CeremonyScope, NewPasskey } from '../passkeys/service.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Device } from '../platform/device.ts'
import { randomText } from '../platform/ids.ts'
import type { OwnerDeps } from './deps.ts'
import { deviceCodeHash } from './device-code.ts'
import * as store from './device-store.ts'
import { DEVICE_SECONDS, statusOf } from './devices.ts'
import { deviceOver } from './errors.ts'
import { sealedDevice } from './seal.ts'
import { type Arrival, newSession } from './sessions.ts'
import { type Begun, begunOf, nameOf } from './sign-in.ts'

// A device is let in by another one of its owner: it types the code, waits, and makes a passkey. No owner is signed in
// on it before that.

const SILENT = 'Owners have no feed.'

/** Types the code that the other device shows. Returns what this one is called from now on, which only it knows. */
export async function joinDevice(deps: OwnerDeps, code: string, device: Device) {
  const { merchantId, seals } = deps
  const visit = randomText(20)
  const codeHash = deviceCodeHash(seals, merchantId, code)
  return command(deps, { name: 'owners.join_device', why: SILENT, together: 'statement' }, async ({ on, at }) => {
    const endsAt = addSeconds(at, DEVICE_SECONDS)
    const joined = await store.updateTyped(on, { merchantId, codeHash, visit, ...device, endsAt, at })
    if (joined === undefined) throw deviceOver()
    return { visit, endsAt }
  })
}

async function find({ pool, merchantId }: OwnerDeps, visit: string) {
  const found = await store.findVisiting(pool, { merchantId, visit })
  if (found === undefined) throw deviceOver()
  return found
}

export async function waitingDevice(deps: OwnerDeps, visit: string): Promise<DeviceView['status']> {
  return statusOf(await find(deps, visit), deps.clock.now())
}

/** The one that was allowed. Throws `RowTampered` for one that was allowed past its owner. */
async function findAllowed(deps: OwnerDeps, visit: string) {
  const { merchantId, seals, clock } = deps
  const found = await find(deps, visit)
  const { id, customerId, allowedAt, seal } = found
  if (statusOf(found, clock.now()) !== 'allowed' || allowedAt === null) throw deviceOver()
  seals.check(sealedDevice({ merchantId, id, customerId, visit, allowedAt }), seal)
  return { id, customerId }
}

export async function newDeviceOptions(deps: OwnerDeps, visit: string) {
  const { merchantId, passkeys } = deps
  const { id, customerId } = await findAllowed(deps, visit)
  const scope = scopeOf(merchantId, customerId, id)
  const challenge = await command(
    deps,
    { name: 'owners.ask_registration', why: SILENT, together: 'statement' },
    ({ on, at }) => passkeys.issueRegistration(on, scope, at),
  )
  const userLabel = (await nameOf(deps, { merchantId, customerId })) || 'You'
  return {
    visit,
    options: await passkeys.registrationOptions(scope, null, { challenge, userLabel, discoverable: true }),
  }
}

/** Stores the passkey of the device, beside the others of its owner, and signs it in. */
export async function registerDevice(
  deps: OwnerDeps,
  visit: string,
  response: unknown,
  arrival: Arrival,
): Promise<Begun> {
  const { merchantId, passkeys } = deps
  const { id: deviceId, customerId } = await findAllowed(deps, visit)
  const scope = scopeOf(merchantId, customerId, deviceId)
  const answer = passkeys.readRegistration(response)
  const { challenge } = answer.clientData
  const { claimed } = await passkeys.claimDiscovered(scope, { ceremony: 'registration', challenge, passkeyId: '' })
  let begun: ReturnType<typeof newSession> | undefined
  const insert = async ({ on, at }: { on: Queryable; at: Date }, passkey: NewPasskey) => {
    begun = newSession(deps, { customerId, passkeyId: passkey.passkeyId, ...arrival }, at)
    const stored = await store.insertPasskey(on, { ...passkey, ...begun.row, deviceId, at })
    if (stored === undefined) throw deviceOver()
    return stored
  }
  await passkeys.register(scope, answer, claimed, insert)
  if (begun === undefined) throw new Error('A passkey was stored without its session.')
  return begunOf(begun, await nameOf(deps, { merchantId, customerId }))
}

const scopeOf = (merchantId: string, customerId: string, deviceId: string): CeremonyScope => ({
  ...{ merchantId, customerId, subject: { type: 'owner_device', id: deviceId }, allowedOrigins: [] },
})
