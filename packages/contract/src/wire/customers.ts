import { type Static, Type } from 'typebox'
import { DateTime } from './common.ts'

/** The merchant's own name for the person, as sent when sessions were created. */
export const CustomerParams = Type.Object({ userId: Type.String() })

export const PasskeyResetResponse = Type.Object({
  user_id: Type.String(),
  released_at: DateTime,
  expires_at: Type.Unsafe<string>({ ...DateTime, description: 'Until then a new passkey may be made.' }),
})
export type PasskeyResetResponse = Static<typeof PasskeyResetResponse>
