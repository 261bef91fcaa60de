import { type Static, Type } from 'typebox'
import { API_KEY_KINDS, API_KEY_ROLES, ENVIRONMENTS } from '../accounts.ts'
import { CONSOLE_ACTS, CONSOLE_ROLES } from '../console.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

// What the console and its backend say of the people who look after an account.

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
const Time = Type.String()
const Email = Type.String({ minLength: 3, maxLength: 254 })
const Name = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
/** What the browser is asked, and what it answers. */
const Ceremony = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
/** What a mail leads to: the id of an invitation, and a secret. */
const Link = Type.String({ pattern: '^inv_[0-9a-z]{26}\\.[A-Za-z0-9_-]{43}$' })
const Visit = Type.String({ pattern: '^vis_[0-9a-z]{32}$' })

export const ConsoleVisit = Type.Object({ visit: Type.String(), options: Ceremony })
export type ConsoleVisit = Static<typeof ConsoleVisit>
export const ConsoleVisitAnswer = Type.Object({ visit: Visit, response: Ceremony }, STRICT)

export const InvitationBody = Type.Object({ link: Link }, STRICT)
/** What an invitation says to whoever was mailed it. */
export const InvitationView = Type.Object({
  account: Type.Object({ name: Type.String(), environment: oneOf(ENVIRONMENTS) }),
  role: oneOf(CONSOLE_ROLES),
  email: Type.String(),
  /** Null: the operator. */
  inviter: nullable(Type.String()),
  expires_at: Time,
  /** The address has proven who they are before: they sign in, and join. */
  known: Type.Boolean(),
})
export type InvitationView = Static<typeof InvitationView>
export const InvitationVisit = Type.Object({ visit: Type.String(), code_ends_at: Time })
export type InvitationVisit = Static<typeof InvitationVisit>
export const InvitationCode = Type.Object({ visit: Visit, code: Type.String({ pattern: '^[0-9]{6}$' }) }, STRICT)
export const InvitationName = Type.Object({ link: Link, visit: Visit, name: Name }, STRICT)
export const InvitationAnswer = Type.Object({ link: Link, visit: Visit, name: Name, response: Ceremony }, STRICT)

/** What asks for the passkey again. It signs exactly this. */
export const ConsoleConfirmation = Type.Union([
  Type.Object({ act: Type.Literal('invite'), email: Email, role: oneOf(CONSOLE_ROLES) }, STRICT),
  Type.Object({ act: Type.Literal('change_role'), person_id: Id, role: oneOf(CONSOLE_ROLES) }, STRICT),
  Type.Object({ act: Type.Literal('make_passkey') }, STRICT),
  Type.Object({ act: Type.Literal('make_key'), kind: oneOf(API_KEY_KINDS), role: oneOf(API_KEY_ROLES) }, STRICT),
  Type.Object({ act: Type.Literal('roll_key'), key: Id, hours: Type.Integer({ minimum: 0, maximum: 168 }) }, STRICT),
])
export type ConsoleConfirmation = Static<typeof ConsoleConfirmation>
/** Null: whoever opened the demo account by one press has no passkey. */
export const ConsoleConfirmationOptions = Type.Object({ options: nullable(Ceremony) })
export type ConsoleConfirmationOptions = Static<typeof ConsoleConfirmationOptions>
/** What the browser answered; null: there is no passkey to ask for. */
export const Confirmed = nullable(Ceremony)

export const InviteBody = Type.Object({ email: Email, role: oneOf(CONSOLE_ROLES), answer: Confirmed }, STRICT)
export const RoleBody = Type.Object({ role: oneOf(CONSOLE_ROLES), answer: Confirmed }, STRICT)
export const NewPasskeyBody = Type.Object({ answer: Confirmed }, STRICT)
export const PasskeyAnswer = Type.Object({ name: Name, response: Ceremony }, STRICT)
export const PasskeyNameBody = Type.Object({ name: Name }, STRICT)

export const PersonParams = Type.Object({ personId: Id })
export const InvitationParams = Type.Object({ invitationId: Id })
export const PersonPasskeyParams = Type.Object({ passkeyId: Id })
export const PersonSessionParams = Type.Object({ sessionId: Id })
export const AccountParams = Type.Object({ accountId: Id })

export const ConsoleTeam = Type.Object({
  people: Type.Array(
    Type.Object({
      person_id: Type.String(),
      name: Type.String(),
      /** Null: one may not see it, or there is none. */
      email: nullable(Type.String()),
      role: oneOf(CONSOLE_ROLES),
      since: Time,
      current: Type.Boolean(),
    }),
  ),
  /** Those that wait. */
  invitations: Type.Array(
    Type.Object({
      invitation_id: Type.String(),
      email: Type.String(),
      role: oneOf(CONSOLE_ROLES),
      inviter: nullable(Type.String()),
      created_at: Time,
      expires_at: Time,
      over: Type.Boolean(),
    }),
  ),
})
export type ConsoleTeam = Static<typeof ConsoleTeam>

/** A person's own: passkeys, sessions and accounts. */
export const ConsoleMe = Type.Object({
  email: nullable(Type.String()),
  passkeys: Type.Array(
    Type.Object({
      passkey_id: Type.String(),
      name: nullable(Type.String()),
      browser: nullable(Type.String()),
      system: nullable(Type.String()),
      made_at: Time,
      last_used_at: nullable(Time),
      synced: Type.Boolean(),
      /** A copy of it may be in other hands: it signs nothing. */
      blocked: Type.Boolean(),
      current: Type.Boolean(),
    }),
  ),
  sessions: Type.Array(
    Type.Object({
      session_id: Type.String(),
      browser: nullable(Type.String()),
      system: nullable(Type.String()),
      place: Type.String(),
      account: Type.String(),
      signed_in_at: Time,
      last_used_at: Time,
      ends_at: Time,
      current: Type.Boolean(),
    }),
  ),
  accounts: Type.Array(
    Type.Object({
      account_id: Type.String(),
      name: Type.String(),
      role: oneOf(CONSOLE_ROLES),
      current: Type.Boolean(),
    }),
  ),
})
export type ConsoleMe = Static<typeof ConsoleMe>

export const ActsQuery = Type.Object({ before: Type.Optional(Type.String({ pattern: '^act_[0-9a-z]{26}$' })) }, STRICT)
export const ConsoleActs = Type.Object({
  acts: Type.Array(
    Type.Object({
      act_id: Type.String(),
      act: oneOf(CONSOLE_ACTS),
      /** Null: the operator. */
      person: nullable(Type.String()),
      subject: nullable(Type.String()),
      role: nullable(oneOf(CONSOLE_ROLES)),
      at: Time,
    }),
  ),
  next_before: nullable(Type.String()),
})
export type ConsoleActs = Static<typeof ConsoleActs>
