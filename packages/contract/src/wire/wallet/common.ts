import { type Static, Type } from 'typebox'
import { dateTime } from '../common.ts'
import { STRICT } from '../schema.ts'

// What all calls of the wallet API share: the two envelopes, and pages.

/** An id of the wallet API. A text of another form names nothing: it is not found. */
export const uuid = (description: string) =>
  Type.String({ description, examples: ['0193f0a2-7c1e-7b44-8e0d-5a3c9b1f2d60'] })

export const MAX_ON_A_PAGE = 100
export const PAGE_SIZE = 20
/** How far pages reach. Beyond it a page would cost as much as all pages before it. */
export const MAX_ROW = 10_000

/** The two parameters of every list, for the query of a row: `Type.Object({ ...PAGE, … }, STRICT)`. */
export const PAGE = {
  page: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,4}$',
      'x-message': `must be a whole number from 1 to ${MAX_ROW}`,
      default: '1',
      description: `Which page, from 1. Pages reach to row ${MAX_ROW.toLocaleString('en')}.`,
      examples: ['2'],
    }),
  ),
  page_size: Type.Optional(
    Type.String({
      pattern: '^(?:[1-9][0-9]?|100)$',
      'x-message': `must be a whole number from 1 to ${MAX_ON_A_PAGE}`,
      default: String(PAGE_SIZE),
      description: 'How many are on a page.',
      examples: ['50'],
    }),
  ),
}
/** Where pages end: the last row of one leads on to those behind it. For a list that may be longer than pages reach. */
export const behind = (row: string) =>
  Type.Optional(
    Type.String({
      format: 'uuid',
      description: `Only those behind this ${row} in the list. Leads on where pages end.`,
    }),
  )
export const PageQuery = Type.Object(PAGE, STRICT)
export type PageQuery = Static<typeof PageQuery>

export const Pagination = Type.Object(
  {
    page: Type.Integer({ minimum: 1, description: 'This page.' }),
    page_size: Type.Integer({ minimum: 1, maximum: MAX_ON_A_PAGE, description: 'How many are on a page.' }),
    total_count: Type.Integer({
      minimum: 0,
      maximum: MAX_ROW,
      description: `How many there are in all; counted up to ${MAX_ROW.toLocaleString('en')}.`,
    }),
    has_more: Type.Boolean({ description: 'Whether more follow after this page.' }),
  },
  { title: 'Pagination', description: 'Where a page is in its list.' },
)
export type Pagination = Static<typeof Pagination>

const META = {
  request_id: Type.String({ format: 'uuid', description: 'Names this response, as `X-Response-ID` does.' }),
  timestamp: dateTime('When it was written.'),
}
const idempotency_key = Type.String({ format: 'uuid', description: 'The key that came with the request.' })

export const Meta = Type.Object(META, { title: 'Meta', description: 'About the response.' })
export const MetaOfChange = Type.Object(
  { ...META, idempotency_key },
  { title: 'MetaOfChange', description: 'About the response to a change.' },
)
export const MetaOfPage = Type.Object(
  { ...META, pagination: Pagination },
  { title: 'MetaOfPage', description: 'About the response to a list.' },
)

const WalletErrorContent = Type.Object(
  {
    code: Type.String({ description: 'Stable; branch on this.', examples: ['VALIDATION_ERROR'] }),
    message: Type.String({ description: 'For people; names the failing fields; may change.' }),
    request_id: Type.String({ format: 'uuid', description: 'Names this response, as `X-Response-ID` does.' }),
    details: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Where fields of the body are to blame: path of each, and what is wrong with it.',
        examples: [{ email: 'is required' }],
      }),
    ),
  },
  { title: 'ErrorContent', description: 'What went wrong.' },
)

/** The body of every error response of the wallet API. */
export const WalletErrorEnvelope = Type.Object(
  { error: WalletErrorContent },
  { title: 'Error', description: 'The body of every error response.' },
)
export type WalletErrorEnvelope = Static<typeof WalletErrorEnvelope>
