import { type Static, Type } from 'typebox'
import { API_KEY_KINDS, API_KEY_ROLES } from '../accounts.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

const Time = Type.String()

/** The API keys of an account as the console lists them: what opens something is never in it. */
export const ConsoleKeys = Type.Object({
  keys: Type.Array(
    Type.Object({
      /** The public beginning of the key, by which it is told from others and revoked. */
      label: Type.String(),
      kind: oneOf(API_KEY_KINDS),
      role: oneOf(API_KEY_ROLES),
      created_at: Time,
      /** To within some minutes; null: not since this is kept. */
      last_used_at: nullable(Time),
      works: Type.Boolean(),
      /** When it stopped, or will. Null: it works for good. */
      revoked_at: nullable(Time),
    }),
  ),
})
export type ConsoleKeys = Static<typeof ConsoleKeys>

export const KeyParams = Type.Object({ key: Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' }) })
/** What the passkey answered; null: there is none to ask. */
const Answer = nullable(Type.Unsafe<object>({ type: 'object', additionalProperties: true }))
export const MakeKeyBody = Type.Object(
  { kind: oneOf(API_KEY_KINDS), role: oneOf(API_KEY_ROLES), answer: Answer },
  STRICT,
)
/** For how many hours the key before works on. */
export const RollKeyBody = Type.Object({ hours: Type.Integer({ minimum: 0, maximum: 168 }), answer: Answer }, STRICT)
/** A key as it was made. This once it is all of it. */
export const MadeKey = Type.Object({ label: Type.String(), key: Type.String() })
export type MadeKey = Static<typeof MadeKey>
