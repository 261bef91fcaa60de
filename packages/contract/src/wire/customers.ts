import { type Static, Type } from 'typebox'
import { dateTime } from './common.ts'

/** The merchant's own name for the person, as sent when sessions were created. */
export const CustomerParams = Type.Object({ userId: Type.String() })

export const PasskeyResetResponse = Type.Object({
  user_id: Type.String(),
  released_at: dateTime('When the merchant released it.'),
  expires_at: dateTime('Until then a new passkey may be made.'),
})
export type PasskeyResetResponse = Static<typeof PasskeyResetResponse>
