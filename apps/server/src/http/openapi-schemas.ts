import { isDeepStrictEqual } from 'node:util'
import { isRecord, type JsonRecord } from '../platform/json.ts'

/** The schemas of one description. */
export interface SchemaComponents {
  /** The published form of a schema: a reference when it has a name. */
  add(schema: unknown): JsonRecord
  /** The named ones so far, in the order of their names. */
  all(): JsonRecord
}

/**
 * The schemas of a table as the description has them: one with a title becomes a component of that name, and is referred to
 * wherever it stands. What it means in a place stays in that place.
 */
export function createSchemaComponents(): SchemaComponents {
  const components = new Map<string, JsonRecord>()

  function add(schema: unknown): JsonRecord {
    const published = publish(schema)
    const { title, description, ...rest } = published
    if (typeof title !== 'string') return published
    const kept = components.get(title)
    if (kept === undefined) components.set(title, { title, description, ...rest })
    else if (!isDeepStrictEqual({ ...kept, description: '' }, { title, description: '', ...rest })) {
      throw new Error(`Two different schemas are called ${title}.`)
    }
    return { $ref: `#/components/schemas/${title}`, ...(description !== undefined && { description }) }
  }

  function publish(schema: unknown): JsonRecord {
    if (!isRecord(schema)) return {}
    // What a text may not be is told by its description: viewers and generators make a type "not string" of it.
    const { 'x-message': _forErrors, not: _told, format, ...others } = schema
    return { ...Object.fromEntries(Object.entries(others).map((entry) => keyword(...entry))), ...known(format) }
  }

  function keyword(name: string, value: unknown): [string, unknown] {
    if (name === 'properties' && isRecord(value)) {
      return [name, Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, add(inner)]))]
    }
    if (Array.isArray(value)) return [name, UNIONS.has(name) ? value.map(add) : value]
    return [name, INNER.has(name) && isRecord(value) ? add(value) : value]
  }

  return { add, all: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))) }
}

const UNIONS = new Set(['anyOf', 'oneOf', 'allOf'])
const INNER = new Set(['items', 'additionalProperties'])

/** Formats that only this program knows are told by their descriptions; the others have standard names. */
const STANDARD_FORMATS: Readonly<Record<string, string>> = {
  email: 'idn-email',
  uri: 'uri',
  'https-url': 'uri',
  'date-time': 'date-time',
  date: 'date',
  uuid: 'uuid',
}

function known(format: unknown): { format?: string } {
  const standard = STANDARD_FORMATS[String(format)]
  return standard === undefined ? {} : { format: standard }
}
