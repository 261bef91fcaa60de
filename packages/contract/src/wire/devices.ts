import { type Static, Type } from 'typebox'
import { nullable, oneOf, STRICT } from './schema.ts'

/** What the owners' page and its backend say of an owner's passkeys, and of another device that is let in. */

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
const Ceremony = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

/** As the browser says of itself; null: nothing that is known. `place`: the network that it comes from. */
const DEVICE = { browser: nullable(Type.String()), system: nullable(Type.String()), place: Type.String() }

/** What an owner signs to let another device in. */
export const DeviceTerms = Type.Object({
  type: Type.Literal('owner_device'),
  device_id: Type.String(),
  ...DEVICE,
  /** What the page shows. */
  text: Type.String(),
})
export type DeviceTerms = Static<typeof DeviceTerms>

const OwnedPasskey = Type.Object({
  passkey_id: Type.String(),
  /** The owner's own word for it; null: they gave none. */
  name: nullable(Type.String()),
  browser: nullable(Type.String()),
  system: nullable(Type.String()),
  made_at: Type.String(),
  last_used_at: nullable(Type.String()),
  /** Its keeper has copied it to other devices of the same person. */
  synced: Type.Boolean(),
  /** A copy of it may be in other hands: it signs nothing. */
  blocked: Type.Boolean(),
  /** It was made at a shop's payment, and pays there as before. */
  of_shop: Type.Boolean(),
  /** The one of the session that asks. */
  current: Type.Boolean(),
})
export const OwnedPasskeys = Type.Object({ passkeys: Type.Array(OwnedPasskey) })
export type OwnedPasskeys = Static<typeof OwnedPasskeys>

export const PasskeyParams = Type.Object({ passkeyId: Id })
export const PasskeyName = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' }) },
  STRICT,
)

const DEVICE_STATUSES = ['shown', 'typed', 'allowed', 'made', 'refused', 'over'] as const
export const DeviceParams = Type.Object({ deviceId: Id })

/** The code that is typed on the other device. Shown once. */
export const NewDevice = Type.Object({ device_id: Type.String(), code: Type.String(), ends_at: Type.String() })
export type NewDevice = Static<typeof NewDevice>

export const DeviceView = Type.Object({
  device_id: Type.String(),
  /** `typed`: a device has typed the code, and waits to be allowed; `made`: it has a passkey. */
  status: oneOf(DEVICE_STATUSES),
  /** The one that has typed the code; null: none yet. */
  device: nullable(Type.Object(DEVICE)),
  ends_at: Type.String(),
})
export type DeviceView = Static<typeof DeviceView>

export const DeviceApproval = Type.Object({ terms: DeviceTerms, options: Ceremony })
export type DeviceApproval = Static<typeof DeviceApproval>

/** On the other device. */
export const DeviceCode = Type.Object(
  { code: Type.String({ minLength: 8, maxLength: 16, format: 'clean-text' }) },
  STRICT,
)
export const DeviceJoined = Type.Object({ visit: Type.String(), ends_at: Type.String() })
export type DeviceJoined = Static<typeof DeviceJoined>
export const DeviceVisit = Type.Object({ visit: Id }, STRICT)
export const DeviceWaiting = Type.Object({ status: oneOf(DEVICE_STATUSES) })
export type DeviceWaiting = Static<typeof DeviceWaiting>
