import { MAX_BODY_BYTES } from '../../apps/server/src/http/errors.ts'
import type { Route } from '../../apps/server/src/http/route.ts'
import { MAX_PARAM_LENGTH } from '../../apps/server/src/http/route-chain.ts'
import { MAX_DETAILS } from '../../apps/server/src/platform/errors.ts'
import { MAX_DEPTH } from '../../apps/server/src/platform/json-scanner.ts'
import { code, type Page, page, table } from './markdown.ts'
import { bareRoutes } from './routes.ts'

/** The keywords of a schema that limit a value. */
interface Shape {
  type?: string
  anyOf?: readonly Shape[]
  not?: Shape
  enum?: readonly unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  additionalProperties?: unknown
  items?: Shape
  properties?: Readonly<Record<string, Shape>>
  required?: readonly string[]
  title?: string
  default?: unknown
  'x-message'?: string
}

/** docs/reference/limits.md: what the schemas of requests allow. */
export function limitsPage(): Page {
  return page('docs/reference/limits.md', 'the schemas in packages/contract/src/wire', [
    '# Limits of requests',
    INTRODUCTION,
    table(
      ['Of every request', 'Limit'],
      [
        ['Body', `${MAX_BODY_BYTES / 1024} KiB of JSON in UTF-8, not compressed`],
        ['Nesting', `${MAX_DEPTH} levels`],
        ['Path parameters', `1 to ${MAX_PARAM_LENGTH} characters, no control characters`],
        [
          'Query',
          'ignored where an operation declares no parameter; unknown parameters are refused where it declares some. Names that begin with `_` are ignored everywhere',
        ],
        ['Fields named in `details`', `${MAX_DETAILS}`],
      ],
    ),
    ...bareRoutes().api.flatMap(bodyLimits),
    '# Wallet API',
    WALLET_NOTE,
    ...bareRoutes().wallet.flatMap(bodyLimits),
  ])
}

const INTRODUCTION = `What a body may hold, field by field. A field that is not listed is refused. What breaks a limit is a 400 \`VAL_2001\`, and
\`details\` names each failing field. How often an operation may be called is in
[configuration](configuration.md#rate-limits). An array of exactly one purchase means the purchase. Lists that are longer than a line, such as currencies and countries, are in the
description of the API (\`/openapi.json\`). Arrays are refused by their length before their entries are looked at.`

const WALLET_NOTE =
  'What breaks a limit here is a 400 `VALIDATION_ERROR`. Pages reach to row 10,000; longer lists go on with `before` or `after`.'

function bodyLimits(row: Route): string[] {
  if (row.body === undefined) return []
  const rows = fieldsOf(row.body as Shape, '', true)
  const heading = `## ${row.method} ${row.path.replaceAll(/:(\w+)/g, '{$1}')}`
  return [heading, table(['Field', 'Required', 'Limit'], unique(rows))]
}

type Field = [path: string, required: string, limit: string]

function fieldsOf(schema: Shape, path: string, required: boolean): Field[] {
  const own: Field[] = path === '' ? [] : [[code(path), required ? 'yes' : '', limitOf(schema)]]
  const members = (schema.anyOf ?? [schema]).filter((member) => !isSpelling(member, schema))
  const inner = members.flatMap((member) => innerFields(member, path))
  return [...own, ...inner]
}

/** An array of exactly one beside another form, or an object around another form alone, is a spelling of that. */
function isSpelling({ type, minItems, maxItems, properties = {} }: Shape, { anyOf }: Shape): boolean {
  if (anyOf === undefined) return false
  const [inner, ...others] = Object.values(properties)
  const wraps = others.length === 0 && inner?.title !== undefined && anyOf.some(({ title }) => title === inner.title)
  return wraps || (type === 'array' && minItems === 1 && maxItems === 1)
}

function innerFields({ items, properties = {}, required = [] }: Shape, path: string): Field[] {
  if (items !== undefined) {
    const forms = (items.anyOf ?? [items]).filter((form) => !isSpelling(form, items))
    return forms.flatMap((form) => innerFields(form, `${path}[]`))
  }
  return Object.entries(properties).flatMap(([name, inner]) =>
    fieldsOf(inner, path === '' ? name : `${path}.${name}`, required.includes(name)),
  )
}

/** In a union the same field comes once for each member that has it. */
function unique(fields: Field[]): Field[] {
  return [...Map.groupBy(fields, ([path]) => path)].map(([path, same]) => [
    path,
    same.every(([, required]) => required !== '') ? 'yes' : '',
    either(same.map(([, , limit]) => limit)),
  ])
}

function either(limits: readonly string[]): string {
  return [...new Set(limits)].join(', or ')
}

const MAX_LIST_LENGTH = 8

function limitOf(schema: Shape): string {
  if (schema.anyOf !== undefined) return either(schema.anyOf.map(limitOf))
  const words = [kindOf(schema), sizeOf(schema), formOf(schema), defaultOf(schema)]
  return words.filter((word) => word !== '').join('; ')
}

function kindOf({ type, enum: choices, const: only, title }: Shape): string {
  if (only !== undefined) return code(String(only))
  if (choices === undefined) return TYPES[type ?? ''] ?? ''
  if (choices.length > MAX_LIST_LENGTH) return `one of ${choices.length} (${title})`
  return choices.map((choice) => code(String(choice))).join(', ')
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  object: 'object',
  array: 'array',
}

function sizeOf({ type, minLength, maxLength, minimum, maximum, minItems, maxItems, minProperties }: Shape): string {
  if (type === 'string') return range(minLength, maxLength, 'character')
  if (type === 'array') return range(minItems, maxItems, 'entry')
  if (type === 'object') return range(minProperties, undefined, 'field')
  return range(minimum, maximum, '')
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const [from, to] = [least?.toLocaleString('en'), most?.toLocaleString('en')]
  if (from === undefined && to === undefined) return ''
  const units = unit === '' ? '' : ` ${plural(unit, most ?? least ?? 0)}`
  if (to === undefined) return `at least ${from}${units}`
  if (from === undefined) return `at most ${to}${units}`
  return from === to ? `${to}${units}` : `${from} to ${to}${units}`
}

function plural(unit: string, count: number): string {
  if (count === 1) return unit
  return unit === 'entry' ? 'entries' : `${unit}s`
}

function formOf({ format, pattern, not, 'x-message': message, enum: choices }: Shape): string {
  if (choices !== undefined) return ''
  const refused = not?.['x-message']
  const form = format === undefined ? undefined : FORMS[format]
  const words = [message ?? (pattern === undefined ? undefined : code(pattern)), form, refused].map((word) =>
    word?.replace(/^must be /, ''),
  )
  return words.filter((word) => word !== undefined).join('; ')
}

const FORMS: Readonly<Record<string, string>> = {
  email: 'an email address, also an international one',
  uri: 'an absolute URL',
  'https-url': 'a URL that begins with https://, without user name',
  'date-time': 'date and time with an offset, such as 2026-01-31T12:00:00Z',
  date: 'a date, such as 2026-01-31',
  uuid: 'a UUID',
  'clean-text': 'no control characters',
  'free-text': 'shows something; no control characters; white space is folded',
  name: 'shows a letter, a digit or a symbol; no control characters; white space is folded',
}

function defaultOf({ default: fallback }: Shape): string {
  return fallback === undefined ? '' : `default ${code(String(fallback))}`
}
