import { fieldErrors, MAX_DETAILS, type PublicError } from '../platform/errors.ts'
import { FORMATS } from './formats.ts'
import { resolveUnions } from './validation-unions.ts'
import { typeName, wordsFor } from './validation-words.ts'

/** What the validator says of one failure; the parts used here. */
export interface SchemaError {
  keyword: string
  instancePath: string
  schemaPath: string
  params: Readonly<Record<string, unknown>>
  schema?: Readonly<Record<string, unknown>>
  parentSchema?: Readonly<Record<string, unknown>>
  /** What was judged. Never a part of what is said. */
  data?: unknown
}

/** The two calls of the validator that extend it. */
interface Extendable {
  addFormat(name: string, format: { type: 'string'; validate: (text: string) => boolean }): unknown
  addKeyword(definition: { keyword: string; schemaType: 'string' }): unknown
}

/**
 * Fastify's validator, made to judge and never to change: no coercion, no defaults, nothing removed, and every failing
 * field reported together. `verbose` hands each error its schema, for `x-message`.
 */
export const VALIDATOR_OPTIONS = {
  customOptions: {
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strictTuples: false,
  },
  // After the library's own formats are in place, so that ours win.
  onCreate: (validator: unknown): void => extend(validator as Extendable),
} as const

/** The serializer picks the member of a union with a validator of its own, which must know the same formats. */
export const SERIALIZER_OPTIONS = {
  ajv: { formats: Object.fromEntries(Object.entries(FORMATS).map(([name, { test }]) => [name, test])) },
} as const

function extend(validator: Extendable): void {
  for (const [name, { test }] of Object.entries(FORMATS)) validator.addFormat(name, { type: 'string', validate: test })
  validator.addKeyword({ keyword: 'x-message', schemaType: 'string' })
}

export const MAX_PATH_LENGTH = 200

/** The `VAL_2001` of a failed validation: `details` maps each failing field's path to what is wrong, in plain words. */
export function validationError(errors: readonly SchemaError[], part: string): PublicError {
  const details = new Map<string, string>()
  for (const error of resolveUnions(errors)) {
    if (details.size === MAX_DETAILS) break
    const path = pathOf(error) || (part === 'querystring' ? 'query' : part)
    if (!details.has(path)) details.set(path, part === 'querystring' ? queryWords(error) : wordsFor(error))
  }
  return fieldErrors(Object.fromEntries(details))
}

function queryWords(error: SchemaError): string {
  if (error.keyword === 'additionalProperties') return 'is not a known parameter'
  // Every parameter is a string; only a repeated one is not.
  return error.keyword === 'type' && typeName(error) === 'a string' ? 'must be given once' : wordsFor(error)
}

/** `/a/2/b` → `a[2].b`; for a missing or an unknown field, the field itself. */
function pathOf(error: SchemaError): string {
  const segments = error.instancePath.split('/').slice(1).map(decodeSegment)
  const field = error.params.missingProperty ?? error.params.additionalProperty
  let path = ''
  for (const segment of segments) {
    if (/^\d+$/.test(segment)) path += `[${segment}]`
    else path += path === '' ? segment : `.${segment}`
  }
  if (typeof field === 'string') path += path === '' ? field : `.${field}`
  return path.slice(0, MAX_PATH_LENGTH)
}

function decodeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}
