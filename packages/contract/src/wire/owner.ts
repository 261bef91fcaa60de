import { type Static, Type } from 'typebox'
import { AGENT_LINK_STATUSES, AGENT_STATUSES, CHARGE_LIMITS, ESCALATION_STATUSES } from '../agents.ts'
import { AgentClient, AgentLimits, AgentMe, AgentTerms, EscalationTerms, LimitsTerms } from './agents.ts'
import { freeText } from './common.ts'
import { OwnerMoney } from './owner-money.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

/**
 * What the owner's page and its backend say to each other. A cookie that no script reads says who is signed in. Errors
 * are the ordinary envelope. Codes and parameters only: the words are the page's.
 */

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
/** The browser's options or answer of a ceremony; its inside is checked by the ceremony itself. */
const Ceremony = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

export const VisitOptions = Type.Object({ visit: Type.String(), options: Ceremony })
export type VisitOptions = Static<typeof VisitOptions>

/** The visit that the options were made for, and the browser's answer to them. */
export const VisitAnswer = Type.Object({ visit: Id, response: Type.Unknown() }, STRICT)
export type VisitAnswer = Static<typeof VisitAnswer>

const Address = Type.String({ minLength: 3, maxLength: 254, format: 'clean-text' })
const Code = Type.String({ pattern: '^[0-9]{6}$' })

/** An address to which a code is mailed. */
export const AddressBody = Type.Object({ email: Address }, STRICT)
/** The same answer whether an owner has the address or not. */
export const VisitBegun = Type.Object({ visit: Type.String(), code_ends_at: Type.String() })
export type VisitBegun = Static<typeof VisitBegun>
export const AddressCode = Type.Object({ visit: Id, code: Code }, STRICT)
/** `known`: an owner has this address already. */
export const AddressProven = Type.Object({ known: Type.Boolean() })
export type AddressProven = Static<typeof AddressProven>

const Name = freeText(64, 'What passkey managers show, and this page.', 'Ann')
export const NewOwner = Type.Object({ visit: Id, name: Name }, STRICT)
export type NewOwner = Static<typeof NewOwner>
export const NewOwnerAnswer = Type.Object({ visit: Id, name: Name, response: Type.Unknown() }, STRICT)

/** The visit that has proven an address, whose person is to use the passkey that they have made at a shop. */
export const ProvenVisit = Type.Object({ visit: Id }, STRICT)

export const SignedIn = Type.Object({
  name: Type.String(),
  expires_at: Type.String(),
  /** What the page sends as `PAGE_TOKEN_HEADER`. */
  page_token: Type.String(),
})
export type SignedIn = Static<typeof SignedIn>

/** Where an owner is signed in, the last used first. */
export const OwnerSessions = Type.Object({
  sessions: Type.Array(
    Type.Object({
      session_id: Type.String(),
      /** As the browser says of itself; null: nothing that is known. */
      browser: nullable(Type.String()),
      system: nullable(Type.String()),
      /** The network that it was used from last. */
      place: Type.String(),
      signed_in_at: Type.String(),
      last_used_at: Type.String(),
      /** When it ends by itself, unless it is used. */
      ends_at: Type.String(),
      /** The one that asks. */
      current: Type.Boolean(),
    }),
  ),
})
export type OwnerSessions = Static<typeof OwnerSessions>

export const SessionParams = Type.Object({ sessionId: Id })

export const Done = Type.Object({ done: Type.Literal(true) })
export type Done = Static<typeof Done>

export const LinkParams = Type.Object({ linkId: Id })
export const EscalationParams = Type.Object({ escalationId: Id })
export const AgentParams = Type.Object({ agentId: Id })

/** The client that asks to be linked, in its own words; null where the link is another owner's by now. */
const Asking = Type.Object({
  name: Type.String(),
  platform: nullable(Type.String()),
  description: nullable(Type.String()),
  /** Null of software without a key, which is a client. */
  key_thumbprint: nullable(Type.String()),
  client: nullable(AgentClient),
  asked_at: Type.String(),
})

export const LinkView = Type.Object({
  link_id: Type.String(),
  /** `taken`: it was approved by another owner. */
  status: oneOf([...AGENT_LINK_STATUSES, 'taken']),
  agent: nullable(Asking),
  /** The agent that it has become. */
  agent_id: nullable(Type.String()),
  limits: nullable(AgentLimits),
  expires_at: Type.String(),
  now: Type.String(),
  /** Where whoever opened the page goes on; null: nowhere. */
  continue_url: nullable(Type.String()),
})
export type LinkView = Static<typeof LinkView>

/** What a decision leads to: where whoever opened the page goes on; null: nowhere. */
export const Decided = Type.Object({ continue_url: nullable(Type.String()) })
export type Decided = Static<typeof Decided>

/** How the page's words are read (BCP 47): the sentence that is signed is told alike. Without it in English. */
const READING = { locale: Type.Optional(Type.String({ maxLength: 64 })) }
export const ReadingBody = Type.Object(READING, STRICT)
export type ReadingBody = Static<typeof ReadingBody>

export const LimitsBody = Type.Object({ limits: AgentLimits, ...READING }, STRICT)
export type LimitsBody = Static<typeof LimitsBody>

export const LinkApproval = Type.Object({ terms: AgentTerms, options: Ceremony })
export type LinkApproval = Static<typeof LinkApproval>

/** Other limits for an agent, in place of those that were read: `version` says of which. */
export const LimitsChange = Type.Object({ version: Type.Integer({ minimum: 1 }), limits: AgentLimits }, STRICT)
export type LimitsChange = Static<typeof LimitsChange>

export const LimitsReading = Type.Object({ ...LimitsChange.properties, ...READING }, STRICT)
export type LimitsReading = Static<typeof LimitsReading>

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

export const EscalationView = Type.Object({
  escalation_id: Type.String(),
  status: oneOf(ESCALATION_STATUSES),
  agent: Type.Object({
    agent_id: Type.String(),
    name: Type.String(),
    platform: nullable(Type.String()),
    status: oneOf(AGENT_STATUSES),
    terms: AgentLimits,
    /** A change of `terms` names it. */
    version: Type.Integer(),
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
  /**
   * It is like a charge of the five minutes before it, also one by another mandate: same agent, shop, amount and lines.
   */
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
  /** What the agent made of the owner's word: the newest charge of that reference; null: it has not come back yet. */
  charged: nullable(Type.Object({ transaction_id: Type.String(), status: Type.String(), created_at: Type.String() })),
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
  amount: Type.String(),
  currency: Type.String(),
  payee: Type.String(),
  expires_at: Type.String(),
})

const OwnedAgent = Type.Object({
  agent_id: Type.String(),
  name: Type.String(),
  platform: nullable(Type.String()),
  status: oneOf(AGENT_STATUSES),
  created_at: Type.String(),
  /** Null while it is active. */
  ended_at: nullable(Type.String()),
  /** It signs with a key, so that shops can verify it where it is published; a client of the tool protocol has none. */
  has_key: Type.Boolean(),
  published: Type.Boolean(),
  terms: AgentLimits,
  /** The version of `terms`: a change names it. */
  version: Type.Integer(),
  limits: AgentMe.properties.limits,
})

/**
 * Where an owner is mailed what agents ask. `asked`: a code was mailed there, and can be typed; `over`: it can be typed
 * no more.
 */
const OwnerMail = Type.Object({
  status: oneOf(['none', 'asked', 'over', 'confirmed']),
  address: nullable(Type.String()),
  /** Addresses that were the owner's until of late, which are told of recoveries until then. */
  former: Type.Array(Type.Object({ address: Type.String(), told_until: Type.String() })),
})

export const MailBody = AddressBody
export const MailCodeBody = Type.Object({ code: Code }, STRICT)

/** What everybody can read of an agent that is published, as it stands there. */
const AgentCard = Type.Object({
  client_id: Type.String(),
  client_name: Type.String(),
  jwks: Type.Object({ keys: Type.Array(Type.Object({ kid: Type.String() }, { additionalProperties: true })) }),
  web_bot_auth: Type.Object({ trigger: Type.String(), purpose: Type.String() }),
})
export const CardView = Type.Object({ published: Type.Boolean(), card: AgentCard })
export type CardView = Static<typeof CardView>

export const HomeView = Type.Object({
  name: Type.String(),
  agents: Type.Array(OwnedAgent),
  waiting: Type.Array(WaitingForOwner),
  money: OwnerMoney,
  /** Null: no mails are sent here. */
  mail: nullable(OwnerMail),
  now: Type.String(),
})
export type HomeView = Static<typeof HomeView>
