import type { TSchema } from 'typebox'
import { type ErrorDetails, MAX_DETAILS } from '../platform/errors.ts'
import { isRecord, type JsonRecord } from '../platform/json.ts'
import { MAX_PATH_LENGTH } from './validation.ts'
import { wordsForLength, wordsForText } from './validation-words.ts'

/** The keywords of a schema that say how much there may be. */
interface Shape {
  type?: unknown
  anyOf?: readonly Shape[]
  items?: Shape
  maxItems?: number
  maxLength?: number
  properties?: Readonly<Record<string, Shape>>
  required?: readonly string[]
  additionalProperties?: unknown
  const?: unknown
  enum?: readonly unknown[]
}

/**
 * Finds arrays and texts that are too long and fields that are not known, before the validator looks at anything, and takes
 * them out. The validator collects every error of every item and of every field: a body of 64 KiB with 20,000 wrong items
 * would cost many times as much as the largest valid one, and so would a text of 64 KiB whose form is judged although it is
 * too long. Stops when an answer would hold no more.
 */
export function cutToBounds(schema: TSchema, body: unknown): ErrorDetails {
  const found = new Map<string, string>()
  cut(schema as Shape, body, '', found)
  return Object.fromEntries(found)
}

type Found = Map<string, string>

/** Returns what is left of the value. */
function cut(schema: Shape, value: unknown, path: string, found: Found): unknown {
  const shape = memberFor(schema, value)
  if (typeof value === 'string') return cutText(shape, value, path, found)
  if (Array.isArray(value)) cutArray(shape, value, path, found)
  else if (isRecord(value)) cutObject(shape, value, path, found)
  return value
}

/** A character has two units at most: in a text of twice the length there are too many, and a shorter one the validator counts. */
function cutText({ maxLength }: Shape, value: string, path: string, found: Found): string {
  if (maxLength === undefined || value.length <= 2 * maxLength) return value
  found.set(path, wordsForText(maxLength))
  return ''
}

function cutArray({ items, maxItems }: Shape, value: unknown[], path: string, found: Found): void {
  if (maxItems !== undefined && value.length > maxItems) {
    found.set(path || 'body', wordsForLength(maxItems))
    value.length = 0
  }
  if (items === undefined) return
  for (let index = 0; index < value.length && found.size < MAX_DETAILS; index += 1) {
    value[index] = cut(items, value[index], `${path}[${index}]`, found)
  }
}

function cutObject(
  { properties = {}, additionalProperties }: Shape,
  value: JsonRecord,
  path: string,
  found: Found,
): void {
  for (const name of Object.keys(value)) {
    if (found.size === MAX_DETAILS) return
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
    const at = path === '' ? name : `${path}.${name}`
    if (inner !== undefined) value[name] = cut(inner, value[name], at, found)
    else if (additionalProperties === false) {
      found.set(at.slice(0, MAX_PATH_LENGTH), 'is not a known field')
      delete value[name]
    }
  }
}

/** The member of a union that is meant: its type fits, no fixed value in it contradicts, and of several it knows the most names. */
function memberFor(schema: Shape, value: unknown): Shape {
  if (schema.anyOf === undefined) return schema
  if (typeof value === 'string') return onlyText(schema.anyOf)
  const type = Array.isArray(value) ? 'array' : 'object'
  const typed = schema.anyOf.filter((member) => member.type === type)
  const meant = isRecord(value) ? nearest(typed, value) : undefined
  return meant ?? typed[0] ?? {}
}

function nearest(members: readonly Shape[], value: JsonRecord): Shape | undefined {
  const names = Object.keys(value)
  const known = ({ properties = {} }: Shape) => names.filter((name) => Object.hasOwn(properties, name)).length
  const fitting = members.filter((member) => !contradicts(member, value))
  return fitting.length < 2 ? fitting[0] : fitting.toSorted((one, other) => known(other) - known(one))[0]
}

/** Where several members are for texts, each may allow another length. */
function onlyText(members: readonly Shape[]): Shape {
  const [first = {}, ...others] = members.filter(({ type }) => type === 'string')
  return others.length === 0 ? first : {}
}

function contradicts({ properties = {}, required = [] }: Shape, value: JsonRecord): boolean {
  return Object.entries(properties).some(([name, { const: only, enum: several }]) => {
    const choices = several ?? (only === undefined ? undefined : [only])
    if (choices === undefined) return false
    return Object.hasOwn(value, name) ? !choices.includes(value[name]) : required.includes(name)
  })
}
