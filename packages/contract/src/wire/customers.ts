import { type Static, Type } from 'typebox'
import { dateTime } from './common.ts'
import { text } from './schema.ts'

/** The merchant's own name for the person, as sent when sessions were created. */
export const CustomerParams = Type.Object({
  userId: text('Your own name for the customer: the `user_id` of a session.'),
})

export const PasskeyResetResponse = Type.Object(
  {
    user_id: text('The customer.', 'user-1'),
    released_at: dateTime('Since when a new passkey may be made.'),
    expires_at: dateTime('Until then a new passkey may be made.'),
  },
  { title: 'PasskeyReset', description: 'That a customer may replace a lost passkey.' },
)
export type PasskeyResetResponse = Static<typeof PasskeyResetResponse>
