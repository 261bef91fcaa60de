import { FORMATS } from './formats.ts'
import type { SchemaError } from './validation.ts'

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
}

/** Keywords whose rule is best explained by the author of the schema, in `x-message`. */
const EXPLAINED = new Set(['pattern', 'format', 'not', 'anyOf', 'oneOf', 'const', 'enum', 'minProperties'])

export const IS_REQUIRED = 'is required'

/** What is wrong with a field, to be read after its name: `amount must be a string`. */
export function wordsFor(error: SchemaError): string {
  // What a value must not be is said where it is described.
  const explained = (error.keyword === 'not' ? error.schema : error.parentSchema)?.['x-message']
  if (typeof explained === 'string' && EXPLAINED.has(error.keyword)) return explained
  const { params } = error
  switch (error.keyword) {
    case 'required':
      return IS_REQUIRED
    case 'additionalProperties':
      return 'is not a known field'
    case 'type':
      return `must be ${typeName(error)}${example(error)}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return wordsForText(params.limit)
    case 'minItems':
      return `must have at least ${counted(params.limit, 'entry')}`
    case 'maxItems':
      return wordsForLength(params.limit)
    case 'minProperties':
      return `must have at least ${counted(params.limit, 'field')}`
    case 'maxProperties':
      return `must have at most ${counted(params.limit, 'field')}`
    case 'uniqueItems':
      return 'must not contain an entry twice'
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}`
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}`
    case 'pattern':
      return 'does not have the required form'
    case 'format':
      return formatWords(error)
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'enum':
      return oneOf(params.allowedValues)
    default:
      return 'is not valid'
  }
}

function formatWords({ params, data }: SchemaError): string {
  const { message = `must be in the format ${params.format}` } = FORMATS[String(params.format)] ?? {}
  return typeof message === 'string' ? message : message(String(data))
}

/** What is wrong with a text that is too long. */
export function wordsForText(maxCharacters: unknown): string {
  return `must have at most ${counted(maxCharacters, 'character')}`
}

/** What is wrong with an array that is too long. */
export function wordsForLength(maxItems: unknown): string {
  return `must have at most ${counted(maxItems, 'entry')}`
}

/** `must be "a"`, `must be one of "a", "b"`. */
export function oneOf(values: unknown): string {
  const listed = (Array.isArray(values) ? values : [values]).map((value) => JSON.stringify(value))
  return listed.length === 1 ? `must be ${listed[0]}` : `must be one of ${listed.join(', ')}`
}

/** The type a `type` error asks for, with its article. */
export function typeName(error: SchemaError): string {
  const asked = error.params.type
  const names = Array.isArray(asked) ? asked : String(asked).split(',')
  return names.map((name) => TYPE_NAMES[String(name)] ?? String(name)).join(' or ')
}

/** For a client that sends `40`: the quotation marks of `"40.00"` say it sooner than words. Only for amounts: no response shows a card number. */
function example({ params, parentSchema }: SchemaError): string {
  const examples = parentSchema?.examples
  const [first] = Array.isArray(examples) ? examples : []
  return params.type === 'string' && /^\d{1,9}\.\d\d$/.test(String(first)) ? `, such as "${first}"` : ''
}

function counted(limit: unknown, noun: string): string {
  if (limit === 1) return `1 ${noun}`
  return `${limit} ${noun === 'entry' ? 'entries' : `${noun}s`}`
}
