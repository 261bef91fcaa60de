import { type Static, Type } from 'typebox'
import { AGENT_LINK_STATUSES } from '../agents.ts'
import { AgentLimits, AgentTerms } from './agents.ts'
import { freeText } from './common.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

/**
 * What the owner's page and its backend say to each other. Who is signed in is in a cookie that no script reads. Errors are the ordinary
 * envelope. Codes and parameters only: the words are the page's.
 */

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
/** The browser's options or answer of a ceremony; its inside is checked by the ceremony itself. */
const Ceremony = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

export const VisitOptions = Type.Object({ visit: Type.String(), options: Ceremony })
export type VisitOptions = Static<typeof VisitOptions>

/** The visit that the options were made for, and the browser's answer to them. */
export const VisitAnswer = Type.Object({ visit: Id, response: Type.Unknown() }, STRICT)
export type VisitAnswer = Static<typeof VisitAnswer>

export const NewOwner = Type.Object({ name: freeText(64, 'What passkey managers show, and this page.', 'Ann') }, STRICT)
export type NewOwner = Static<typeof NewOwner>

export const SignedIn = Type.Object({ name: Type.String(), expires_at: Type.String() })
export type SignedIn = Static<typeof SignedIn>

export const Done = Type.Object({ done: Type.Literal(true) })
export type Done = Static<typeof Done>

export const LinkParams = Type.Object({ linkId: Id })

/** Who asks to be linked, in their own words; null of a link that is somebody else's by now. */
const Asking = Type.Object({
  name: Type.String(),
  platform: nullable(Type.String()),
  description: nullable(Type.String()),
  key_thumbprint: Type.String(),
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

export const LimitsBody = Type.Object({ limits: AgentLimits }, STRICT)
export type LimitsBody = Static<typeof LimitsBody>

export const LinkApproval = Type.Object({ terms: AgentTerms, options: Ceremony })
export type LinkApproval = Static<typeof LinkApproval>

export const CeremonyAnswer = Type.Object({ response: Type.Unknown() }, STRICT)
