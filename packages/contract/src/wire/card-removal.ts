import { type Static, Type } from 'typebox'
import { nullable, STRICT } from './schema.ts'
import { CeremonyOptions, FrameInfo, SurfaceId } from './surface.ts'

/**
 * What is signed when a customer removes a card of theirs: it is deleted here and at the network, and the permissions
 * that it pays end.
 */
export const CardRemovalTerms = Type.Object({
  type: Type.Literal('card_removal'),
  version: Type.Literal(1),
  removal_id: Type.String(),
  session_id: Type.String(),
  account_id: Type.String(),
  customer_id: Type.String(),
  /** `enrolment` counts how often the card was entered anew: what is signed of one time is not good for the next. */
  card: Type.Object({
    id: Type.String(),
    brand: nullable(Type.String()),
    last4: Type.String(),
    enrolment: Type.Integer(),
  }),
})
export type CardRemovalTerms = Static<typeof CardRemovalTerms>

export const CardRemovalRequest = Type.Object({ card_id: SurfaceId, frame: FrameInfo }, STRICT)
export type CardRemovalRequest = Static<typeof CardRemovalRequest>

/** Which card is removed, and the WebAuthn request whose challenge binds it. */
export const CardRemovalOptions = Type.Object({ terms: CardRemovalTerms, options: CeremonyOptions })
export type CardRemovalOptions = Static<typeof CardRemovalOptions>

/** The signature over the statement of this id. */
export const RemoveCardRequest = Type.Object({ removal_id: SurfaceId, response: Type.Unknown() }, STRICT)
export type RemoveCardRequest = Static<typeof RemoveCardRequest>
