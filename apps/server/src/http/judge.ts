import type { TSchema } from 'typebox'
import { type ErrorDetails, PublicError } from '../platform/errors.ts'
import { COMPILERS } from './compilers.ts'
import { cutToBounds } from './input-bounds.ts'
import { type SchemaError, VALIDATOR_OPTIONS, validationError } from './validation.ts'

/** A validator of a schema that belongs to no route. */
type Judge = ((value: unknown) => unknown) & { errors?: readonly SchemaError[] | null }
const compile = COMPILERS.buildValidator({}, VALIDATOR_OPTIONS as never) as unknown as (of: { schema: object }) => Judge
const judges = new WeakMap<TSchema, Judge>()

/** What is wrong with a value that comes by another way than a body, as a route would say it of one. */
export function problemsOf(schema: TSchema, value: unknown): ErrorDetails {
  const bounds = cutToBounds(schema, value)
  const judge = judges.get(schema) ?? compile({ schema })
  judges.set(schema, judge)
  if (judge(value) === true) return bounds
  const error = validationError(judge.errors ?? [], 'arguments')
  return { ...(error instanceof PublicError ? error.details : {}), ...bounds }
}
