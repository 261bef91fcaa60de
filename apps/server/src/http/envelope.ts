import type { BrandedNames } from '@mintmark/contract'
import { ErrorEnvelope } from '@mintmark/contract/wire/common'
import type { TSchema } from 'typebox'
import type { PublicError } from '../platform/errors.ts'
import type { PagePosition } from './page.ts'
import type { Route } from './route.ts'

/** The shape of every response body of a host. All hosts of one API share one. */
export interface Envelope {
  /** The body of an error response. */
  error(shown: PublicError, brand: BrandedNames, responseId: string): string
  /** How a code is spelt in that body. */
  code(code: string, brand: BrandedNames): string
  /** The schema of that body. */
  errorSchema: TSchema
  /** Narrows `errorSchema` to the codes one operation may return under one status. */
  errorCodes(codes: readonly string[]): Readonly<Record<string, unknown>>
  /** Absent: a success is what the handler returned. */
  success?: {
    body(result: unknown, about: SuccessFacts): unknown
    /** The schema of the whole body, from the schema of what a row's handler returns. */
    schema(result: TSchema, kind: SuccessKind): TSchema
  }
}

/** What there is to say of a success besides its result. */
export interface SuccessFacts {
  responseId: string
  /** The caller's key of the request, where the row takes one. */
  idempotencyKey?: string | undefined
  /** Where the result is in its list, where the row returns pages. */
  position?: PagePosition | undefined
}

export interface SuccessKind {
  takesKey: boolean
  isPaged: boolean
}

export function kindOf({ idempotencyKey, isPaged }: Pick<Route, 'idempotencyKey' | 'isPaged'>): SuccessKind {
  return { takesKey: idempotencyKey !== undefined, isPaged: isPaged === true }
}

/** `{ "error": { "code", "message", "details" } }` for an error, the bare resource for a success. */
export const PLAIN_ENVELOPE: Envelope = {
  error(shown, brand) {
    const error: ErrorEnvelope['error'] = { code: brand.code(shown.code), message: shown.message }
    if (shown.details !== undefined) error.details = shown.details
    return JSON.stringify({ error } satisfies ErrorEnvelope)
  },
  code: (code, brand) => brand.code(code),
  errorSchema: ErrorEnvelope,
  errorCodes: (codes) => ({
    properties: {
      error: { $ref: '#/components/schemas/ErrorContent', properties: { code: { enum: codes } } },
    },
  }),
}
