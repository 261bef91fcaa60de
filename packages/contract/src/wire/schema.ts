import { type TSchema, type TSchemaOptions, Type } from 'typebox'

// A schema with a `title` is one of the contract's named things: the published description has it once, by that name.

/** For requests: unknown fields are refused, not dropped. */
export const STRICT = { additionalProperties: false } as const

/** One of a closed set, as `enum`. */
export const oneOf = <Value extends string>(values: readonly Value[], options: TSchemaOptions = {}) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], ...options })

/** The same schema, with what it means in this place. */
export const about = <Schema extends TSchema>(description: string, schema: Schema): Schema => ({
  ...schema,
  description,
})

/** A field that is always there, and null when there is nothing to say. */
export const nullable = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

/** Text of any kind in a response. */
export const text = (description: string, ...examples: string[]) =>
  Type.String(examples.length === 0 ? { description } : { description, examples })
