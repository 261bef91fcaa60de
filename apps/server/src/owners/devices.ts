import type { DeviceTerms, DeviceView } from '@mintmark/contract/wire/devices'
import { command } from '../db/command.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { addSeconds } from '../platform/clock.ts'
import { nameOfDevice } from '../platform/device.ts'
import { newId } from '../platform/ids.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { deviceCodeHash, newDeviceCode } from './device-code.ts'
import * as store from './device-store.ts'
import { deviceNotFound, deviceOver } from './errors.ts'
import * as passkeys from './passkey-store.ts'
import { sealedDevice } from './seal.ts'

// What an owner does who is signed in, to let in another device of theirs. What it does itself is in `new-device.ts`.

/** How long the code can be typed, and how long the device waits then for its owner and for its passkey. */
export const DEVICE_SECONDS = 10 * 60
const SILENT = 'Owners have no feed.'

type Row = NonNullable<Awaited<ReturnType<typeof store.findDevice>>>

/** Where a device stands: the last of what has happened to it. */
export function statusOf({ usedAt, refusedAt, allowedAt, typedAt, endsAt }: Row, now: Date): DeviceView['status'] {
  if (usedAt !== null) return 'made'
  if (refusedAt !== null) return 'refused'
  if (endsAt <= now) return 'over'
  if (allowedAt !== null) return 'allowed'
  return typedAt === null ? 'shown' : 'typed'
}

/** The code that is typed on the other device. It takes the place of the one before. */
export async function askDevice(deps: OwnerDeps, { merchantId, customerId }: OwnerCaller) {
  const [deviceId, code] = [newId('ownerDevice'), newDeviceCode()]
  const codeHash = deviceCodeHash(deps.seals, merchantId, code)
  return command(deps, { name: 'owners.ask_device', why: SILENT, together: 'statement' }, async ({ on, at }) => {
    const endsAt = addSeconds(at, DEVICE_SECONDS)
    await store.upsertDevice(on, { merchantId, customerId, deviceId, codeHash, endsAt, at })
    return { deviceId, code, endsAt }
  })
}

async function find({ pool }: OwnerDeps, { merchantId, customerId }: OwnerCaller, deviceId: string): Promise<Row> {
  const found = await store.findDevice(pool, { merchantId, customerId, deviceId })
  if (found === undefined) throw deviceNotFound()
  return found
}

export async function readDevice(deps: OwnerDeps, caller: OwnerCaller, deviceId: string) {
  const found = await find(deps, caller, deviceId)
  return { ...found, status: statusOf(found, deps.clock.now()) }
}
export type ReadDevice = Awaited<ReturnType<typeof readDevice>>

/** The statement that names the device, and the WebAuthn request that signs it. */
export async function deviceApproval(deps: OwnerDeps, caller: OwnerCaller, deviceId: string) {
  const { merchantId, customerId } = caller
  const found = await readDevice(deps, caller, deviceId)
  if (found.status !== 'typed') throw deviceOver()
  const known = await passkeys.findPasskey(deps.pool, { merchantId, customerId, at: deps.clock.now() })
  return deps.approvals.requestDevice(scopeOf(caller, deviceId), known?.passkey ?? null, termsOf(found))
}

function termsOf({ id, browser, system, place }: Row): DeviceTerms {
  const text = `${nameOfDevice({ browser, system })}, from ${place}, may sign in as you, and approve all that you approve.`
  return { type: 'owner_device', device_id: id, browser, system, place: place ?? '', text }
}

/** Lets in the device that its owner was shown, by a signature over that. */
export async function allowDevice(
  deps: OwnerDeps,
  caller: OwnerCaller,
  { deviceId, response }: { deviceId: string; response: unknown },
): Promise<void> {
  const { merchantId, customerId } = caller
  const found = await find(deps, caller, deviceId)
  const scope = scopeOf(caller, deviceId)
  const answer = deps.passkeys.readAssertion(response)
  const why = 'A used challenge is no change; what is approved with it is.'
  const place = { merchantId, customerId, subjectType: scope.subject.type, subjectId: deviceId }
  const { challenge } = answer.clientData
  const known = await command(deps, { name: 'owners.claim_challenge', why, together: 'statement' }, ({ on, at }) =>
    passkeys.claimChallenge(on, { ...place, ceremony: 'assertion', challenge, at }),
  )
  const approval = await deps.approvals.verifyDevice(scope, answer, known ?? { claimed: null, passkey: null })
  const { visit } = found
  // Whoever has typed the code of a later question is another one.
  if (visit === null || approval.terms.device_id !== deviceId) throw deviceOver()
  const evidence = deps.approvals.evidenceOf(scope, approval)
  const allowed = await command(
    deps,
    { name: 'owners.allow_device', why: SILENT, together: 'statement' },
    ({ on, at }) => {
      const deviceSeal = deps.seals.seal(sealedDevice({ merchantId, id: deviceId, customerId, visit, allowedAt: at }))
      return store.updateAllowed(on, { ...evidence, deviceId, visit, deviceSeal, at })
    },
  )
  if (allowed === undefined) throw deviceOver()
}

/** Not this one. It takes away, so it needs no passkey. */
export async function refuseDevice(deps: OwnerDeps, caller: OwnerCaller, deviceId: string): Promise<void> {
  const { merchantId, customerId } = caller
  await find(deps, caller, deviceId)
  const refused = await command(
    deps,
    { name: 'owners.refuse_device', why: SILENT, together: 'statement' },
    ({ on, at }) => store.updateRefused(on, { merchantId, customerId, deviceId, at }),
  )
  if (refused === undefined) throw deviceOver()
}

const scopeOf = ({ merchantId, customerId }: OwnerCaller, deviceId: string): CeremonyScope => ({
  ...{ merchantId, customerId, subject: { type: 'owner_device', id: deviceId }, allowedOrigins: [] },
})
