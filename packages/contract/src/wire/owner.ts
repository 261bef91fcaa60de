import { type Static, Type } from 'typebox'
import { AGENT_LINK_STATUSES, AGENT_STATUSES, CHARGE_LIMITS, ESCALATION_STATUSES } from '../agents.ts'
import { RECURRING_FREQUENCIES } from '../states.ts'
import { AgentClient, AgentLimits, AgentMe, AgentTerms, EscalationTerms, JoinTerms, LimitsTerms } from './agents.ts'
import { displayName } from './common.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

/**
 * What the owner's page and its backend say to each other. A cookie that no script reads says which owner is signed in. Errors are the
 * ordinary envelope. Codes and parameters only: the words are the page's.
 */

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
/** The browser's options or answer of a ceremony; its inside is checked by the ceremony itself. */
const Ceremony = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

export const VisitOptions = Type.Object({ visit: Type.String(), options: Ceremony })
export type VisitOptions = Static<typeof VisitOptions>

/** The visit that the options were made for, and the browser's answer to them. */
export const VisitAnswer = Type.Object({ visit: Id, response: Type.Unknown() }, STRICT)
export type VisitAnswer = Static<typeof VisitAnswer>

export const NewOwner = Type.Object(
  { name: displayName(64, 'What passkey managers show, and this page.', 'Ann') },
  STRICT,
)
export type NewOwner = Static<typeof NewOwner>

export const SignedIn = Type.Object({ name: Type.String(), expires_at: Type.String() })
export type SignedIn = Static<typeof SignedIn>

export const Done = Type.Object({ done: Type.Literal(true) })
export type Done = Static<typeof Done>

export const LinkParams = Type.Object({ linkId: Id })
export const EscalationParams = Type.Object({ escalationId: Id })
export const AgentParams = Type.Object({ agentId: Id })

/** The software that asks to be linked, in its own words; null of a link that another owner has approved. */
const Asking = Type.Object({
  name: Type.String(),
  platform: nullable(Type.String()),
  description: nullable(Type.String()),
  /** Null of a client. */
  key_thumbprint: nullable(Type.String()),
  client: nullable(AgentClient),
})

/** An agent of the owner's, which may be the one that asks. */
const MayBe = Type.Object({
  agent_id: Type.String(),
  name: Type.String(),
  platform: nullable(Type.String()),
  has_key: Type.Boolean(),
  created_at: Type.String(),
  limits: AgentLimits,
})

export const LinkView = Type.Object({
  link_id: Type.String(),
  /** `taken`: it was approved by another owner. */
  status: oneOf([...AGENT_LINK_STATUSES, 'taken']),
  agent: nullable(Asking),
  /** The agent that it has become. */
  agent_id: nullable(Type.String()),
  /** Null as well where that agent has ended. */
  limits: nullable(AgentLimits),
  /** The name of that agent, where the owner had it before. */
  joined: nullable(Type.String()),
  /** Which of the owner's agents it may be, beside a new one; while it is `pending`. */
  may_be: Type.Array(MayBe),
  /** The one as which this client was let in last: a client that asks for more goes on as it. Null: none. */
  last: nullable(Type.String()),
  /** When that agent ended. */
  ended_at: nullable(Type.String()),
  expires_at: Type.String(),
  now: Type.String(),
  /** Where whoever opened the page goes on; null: nowhere. */
  continue_url: nullable(Type.String()),
})
export type LinkView = Static<typeof LinkView>

/** What a decision leads to: where whoever opened the page goes on; null: nowhere. */
export const Decided = Type.Object({ continue_url: nullable(Type.String()) })
export type Decided = Static<typeof Decided>

/** Which agent it is: a new one with these limits, or one that they have, whose limits stay. */
export const WhichAgentBody = Type.Object(
  { limits: Type.Optional(AgentLimits), agent_id: Type.Optional(Id) },
  { ...STRICT, title: 'WhichAgent' },
)
export type WhichAgentBody = Static<typeof WhichAgentBody>

export const LinkApproval = Type.Object({ terms: Type.Union([AgentTerms, JoinTerms]), options: Ceremony })
export type LinkApproval = Static<typeof LinkApproval>

/** Other limits for an agent, in place of those that were read: `version` says of which. */
export const LimitsChange = Type.Object({ version: Type.Integer({ minimum: 1 }), limits: AgentLimits }, STRICT)
export type LimitsChange = Static<typeof LimitsChange>

export const LimitsApproval = Type.Object({ terms: LimitsTerms, options: Ceremony })
export type LimitsApproval = Static<typeof LimitsApproval>

/** The statement that was signed, by its `change_id`, and the browser's answer. */
export const LimitsAnswer = Type.Object({ change_id: Id, response: Type.Unknown() }, STRICT)

export const CeremonyAnswer = Type.Object({ response: Type.Unknown() }, STRICT)

/** A charge of the same mandate, made before the one that asks. */
const Before = Type.Object({
  amount: Type.String(),
  currency: Type.String(),
  status: Type.String(),
  created_at: Type.String(),
  /** The one that asks is like it. */
  repeated: Type.Boolean(),
  /** It was itself like one of the five minutes before it. */
  possible_duplicate: Type.Boolean(),
})

/** What an agent was called when it was linked, if it calls itself otherwise by now; null: the same. */
const LinkedAs = nullable(Type.String())

export const EscalationView = Type.Object({
  escalation_id: Type.String(),
  status: oneOf(ESCALATION_STATUSES),
  agent: Type.Object({
    agent_id: Type.String(),
    name: Type.String(),
    linked_as: LinkedAs,
    platform: nullable(Type.String()),
    status: oneOf(AGENT_STATUSES),
  }),
  amount: Type.String(),
  currency: Type.String(),
  payee: Type.Object({ name: Type.String(), url: Type.String() }),
  products: Type.Array(Type.Object({ name: Type.String(), quantity: Type.Integer(), unit_price: Type.String() })),
  reference: Type.String(),
  /** What refused it. */
  limit: oneOf(CHARGE_LIMITS),
  /** The mandate itself does not allow it: another one is made for it. */
  beyond: Type.Boolean(),
  /** It is like a charge of the five minutes before it, also one by another mandate: same agent, shop, amount and lines. */
  possible_duplicate: Type.Boolean(),
  limits: AgentMe.properties.limits,
  /** The mandate that does not allow it, or does. */
  mandate: Type.Object({
    merchant_name: Type.String(),
    amount: Type.String(),
    left: Type.String(),
    renews_at: nullable(Type.String()),
  }),
  before: Type.Array(Before),
  /** What the agent made of it, once it was allowed; null: nothing yet. */
  charged: nullable(
    Type.Object({
      amount: Type.String(),
      currency: Type.String(),
      status: Type.String(),
      created_at: Type.String(),
    }),
  ),
  /** Until when the agent can use what was allowed; null: it was not, or by a mandate of its own. */
  good_until: nullable(Type.String()),
  expires_at: Type.String(),
  now: Type.String(),
})
export type EscalationView = Static<typeof EscalationView>

export const EscalationApproval = Type.Object({ terms: EscalationTerms, options: Ceremony })
export type EscalationApproval = Static<typeof EscalationApproval>

/** The page where the owner makes the mandate that a charge needs. */
export const OpenedMandate = Type.Object({ url: Type.String() })
export type OpenedMandate = Static<typeof OpenedMandate>

const WaitingForOwner = Type.Object({
  escalation_id: Type.String(),
  agent: Type.String(),
  linked_as: LinkedAs,
  amount: Type.String(),
  currency: Type.String(),
  payee: Type.String(),
  expires_at: Type.String(),
})

const OwnedAgent = Type.Object({
  agent_id: Type.String(),
  name: Type.String(),
  linked_as: LinkedAs,
  platform: nullable(Type.String()),
  status: oneOf(AGENT_STATUSES),
  created_at: Type.String(),
  ended_at: nullable(Type.String()),
  /** It signs with a key: it can charge its mandates, and shops can verify it where it is published. */
  has_key: Type.Boolean(),
  published: Type.Boolean(),
  terms: AgentLimits,
  /** The version of `terms`: a change names it. */
  version: Type.Integer(),
  limits: AgentMe.properties.limits,
  /** Its standing mandates; where the agent has ended, those that ended with it. */
  mandates: Type.Array(
    Type.Object({
      merchant_name: Type.String(),
      amount: Type.String(),
      currency: Type.String(),
      frequency: oneOf(RECURRING_FREQUENCIES),
    }),
  ),
})

/** Where an owner is mailed what agents ask. `asked`: a code was mailed there, and can be typed; `over`: it can be typed no more. */
const OwnerMail = Type.Object({
  status: oneOf(['none', 'asked', 'over', 'confirmed']),
  address: nullable(Type.String()),
})

export const MailBody = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254, format: 'clean-text' }) },
  STRICT,
)
export const MailCodeBody = Type.Object({ code: Type.String({ pattern: '^[0-9]{6}$' }) }, STRICT)

/** What everybody can read of an agent that is published, as it stands there. */
const AgentCard = Type.Object({
  client_id: Type.String(),
  /** Absent: it was published before names were sealed. */
  client_name: Type.Optional(Type.String()),
  jwks: Type.Object({ keys: Type.Array(Type.Object({ kid: Type.String() }, { additionalProperties: true })) }),
  web_bot_auth: Type.Object({ trigger: Type.String(), purpose: Type.String() }),
})
export const CardView = Type.Object({ published: Type.Boolean(), card: AgentCard })
export type CardView = Static<typeof CardView>

/** The name that was read on the card: by no other one is the agent published. */
export const PublishBody = Type.Object({ client_name: displayName(100, 'As it stands on the card.', 'Pantry') }, STRICT)

export const HomeView = Type.Object({
  name: Type.String(),
  agents: Type.Array(OwnedAgent),
  waiting: Type.Array(WaitingForOwner),
  /** Null: no mails are sent here. */
  mail: nullable(OwnerMail),
  now: Type.String(),
})
export type HomeView = Static<typeof HomeView>
