import { type Static, Type } from 'typebox'
import { CARD_DELETION_REASONS, LISTED_CARD_STATUSES } from '../states.ts'
import { dateTime } from './common.ts'
import { nullable, oneOf, STRICT, text } from './schema.ts'

const colour = (description: string, example: string) => text(description, example)

const CardMetadata = Type.Object(
  {
    backgroundColor: colour('The colour of the card.', '#1a1f71'),
    foregroundColor: colour('The colour of the number.', '#ffffff'),
    labelColor: colour('The colour of smaller text.', '#c7cbf0'),
  },
  { title: 'CardMetadata', description: 'The colours in which the card network wants the card shown.' },
)
export type CardMetadata = Static<typeof CardMetadata>

export const Card = Type.Object(
  {
    card_id: text('The card.', 'card_5vt707nn6pwg7he6emscbbb1q8'),
    card_last4: text('The last four digits.', '4242'),
    card_brand: nullable(text('In lower case.', 'visa'), 'The brand; null when it is not known.'),
    card_exp_month: nullable(Type.Integer({ minimum: 1, maximum: 12 }), 'Month of the expiry.'),
    card_exp_year: nullable(Type.Integer(), 'Year of the expiry, four digits.'),
    masked_card_number: nullable(
      text('For display.', '**** **** **** 4242'),
      'The number with all but four digits hidden.',
    ),
    is_default: Type.Boolean({ description: "Whether it is the customer's default card." }),
    status: oneOf(LISTED_CARD_STATUSES, { title: 'ListedCardStatus', description: 'Whether it can pay.' }),
    card_art_url: nullable(
      Type.String({ format: 'uri', description: 'A drawing, SVG.' }),
      'Null unless `include_card_art` is `true`. Needs no credential and tells no more than brand and colours.',
    ),
    metadata: nullable(
      CardMetadata,
      'Null unless `include_card_art` is `true`, or where the network named no colours.',
    ),
    created_at: dateTime('When it was enrolled.'),
  },
  { title: 'Card', description: 'A card of a customer, without its number.' },
)
export type Card = Static<typeof Card>

export const CardList = Type.Object(
  {
    cards: Type.Array(Card, { description: 'The default card first, then the newest.' }),
    count: Type.Integer({ minimum: 0, description: 'How many they are.' }),
  },
  { title: 'CardList', description: 'The cards of a customer.' },
)
export type CardList = Static<typeof CardList>

/** No rule on the form of an id: an id that is not one of ours is not found. An empty one counts as missing. */
const id = (maxLength: number, description: string, ...examples: string[]) =>
  Type.String({ maxLength, format: 'clean-text', description, examples })
const customerId = id(255, 'Your own `user_id` of the customer, or our `cus_` id.', 'user-1')

export const ListCardsQuery = Type.Object(
  {
    customer_id: customerId,
    status: Type.Optional(
      oneOf(['active', 'all'], { default: 'active', description: '`all`: deleted cards as well.' }),
    ),
    include_card_art: Type.Optional(
      oneOf(['true', 'false'], { default: 'false', description: 'Whether to fill `card_art_url` and `metadata`.' }),
    ),
  },
  STRICT,
)
export type ListCardsQuery = Static<typeof ListCardsQuery>

export const DeleteCardBody = Type.Object(
  {
    customer_id: customerId,
    card_id: id(64, 'The `card_id` of the card.', 'card_5vt707nn6pwg7he6emscbbb1q8'),
    reason: Type.Optional(
      oneOf(CARD_DELETION_REASONS, { title: 'CardDeletionReason', default: 'OTHER', description: 'Why.' }),
    ),
  },
  { ...STRICT, title: 'DeleteCardRequest', description: 'Which card to delete.' },
)
export type DeleteCardBody = Static<typeof DeleteCardBody>

export const DeletedCard = Type.Object(
  {
    success: Type.Literal(true, { description: 'Always `true`.' }),
    card_id: text('The card.', 'card_5vt707nn6pwg7he6emscbbb1q8'),
    was_default: Type.Boolean({
      description: 'Whether it was the default card. The newest of the active ones has become it.',
    }),
    network_token_deleted: Type.Boolean({
      description: "Whether the card network deleted the card's token now; `false`: it had none any more.",
    }),
  },
  { title: 'DeletedCard', description: 'What came of the deletion; the same however often it is asked for.' },
)
export type DeletedCard = Static<typeof DeletedCard>
