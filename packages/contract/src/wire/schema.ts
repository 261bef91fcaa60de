import { type TSchema, Type } from 'typebox'

/** For requests: unknown fields are refused, not dropped. */
export const STRICT = { additionalProperties: false } as const

/** One of a closed set, as `enum`. */
export const oneOf = <Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values] })

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
