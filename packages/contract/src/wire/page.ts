import { Type } from 'typebox'
import { MAX_ON_A_PAGE } from '../states.ts'

// What a list operation takes and returns besides its rows.

/** Query parameters are texts. */
export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.String({
      pattern: '^(?:[1-9][0-9]?|[1-4][0-9]{2}|500)$',
      'x-message': `must be a whole number from 1 to ${MAX_ON_A_PAGE}`,
      default: String(MAX_ON_A_PAGE),
      description: 'How many are returned at most.',
      examples: ['50'],
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The `next_cursor` of the page before.' }),
  ),
}

export const NextCursor = Type.Optional(
  Type.String({ description: 'Only there when more follows: the `cursor` of the next page.' }),
)
