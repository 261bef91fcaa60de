import type { SchemaError } from './validation.ts'
import { typeName } from './validation-words.ts'

/**
 * A value that fits no member of a union fails once per member, and most of those failures are about members the caller
 * never meant. Keeps what is wrong with the member that was meant, or one error that says what the choices are.
 */
export function resolveUnions(errors: readonly SchemaError[]): readonly SchemaError[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  if (unions.length === 0) return errors
  const dropped = new Set<SchemaError>()
  const added: SchemaError[] = []
  // A union's own error comes after those of its members: walked backwards, outer unions come first.
  for (const union of unions.reverse()) {
    if (dropped.has(union)) continue
    const members = membersOf(union, errors)
    if (members.length === 0) continue
    const meant = meantMember(union, members)
    for (const member of members) if (member !== meant) for (const error of member) dropped.add(error)
    const choices = meant === undefined ? describeChoices(union, members) : undefined
    if (meant !== undefined || choices !== undefined) dropped.add(union)
    if (choices !== undefined) added.push(choices)
  }
  return [...errors.filter((error) => !dropped.has(error)), ...added]
}

/** The errors of each member of the union, by the member's place in it. */
function membersOf(union: SchemaError, errors: readonly SchemaError[]): SchemaError[][] {
  const prefix = `${union.schemaPath}/`
  const members = new Map<string, SchemaError[]>()
  for (const error of errors) {
    if (!error.schemaPath.startsWith(prefix) || !error.instancePath.startsWith(union.instancePath)) continue
    const place = error.schemaPath.slice(prefix.length).split('/', 1)[0] ?? ''
    const member = members.get(place)
    if (member === undefined) members.set(place, [error])
    else member.push(error)
  }
  return [...members.values()]
}

/** The member the caller meant: its type fits and no fixed value in it contradicts; where several do so, the nearest. */
function meantMember(union: SchemaError, members: readonly SchemaError[][]): SchemaError[] | undefined {
  const typed = members.filter((member) => !member.some((error) => isAtUnion(error, union) && isChoice(error)))
  const fitting = typed.filter(
    (member) => !member.some((error) => error.keyword === 'const' || isUnnamed(error, union)),
  )
  const candidates = fitting.length > 0 ? fitting : typed
  return candidates.toSorted((a, b) => a.length - b.length)[0]
}

/** The fixed value that tells the member apart is not there, nor is any other field of it. */
function isUnnamed(error: SchemaError, union: SchemaError): boolean {
  const properties = error.parentSchema?.properties as Record<string, { const?: unknown }> | undefined
  if (error.keyword !== 'required' || !isAtUnion(error, union) || properties === undefined) return false
  const isFixed = properties[String(error.params.missingProperty)]?.const !== undefined
  return isFixed && !Object.keys(error.data ?? {}).some((name) => Object.hasOwn(properties, name))
}

function isAtUnion(error: SchemaError, union: SchemaError): boolean {
  return error.instancePath === union.instancePath
}

function isChoice({ keyword }: SchemaError): boolean {
  return keyword === 'type' || keyword === 'const' || keyword === 'enum'
}

/** One error in place of `must be "a"` and `must be "b"`, or of `must be a string` and `must be an array`. */
function describeChoices(union: SchemaError, members: readonly SchemaError[][]): SchemaError | undefined {
  if (typeof union.parentSchema?.['x-message'] === 'string') return undefined
  const atUnion = members.flat().filter((error) => isAtUnion(error, union))
  const values = atUnion.flatMap(({ keyword, params }) => {
    if (keyword === 'const') return [params.allowedValue]
    return keyword === 'enum' && Array.isArray(params.allowedValues) ? params.allowedValues : []
  })
  if (values.length > 0) return { ...union, keyword: 'enum', params: { allowedValues: values } }
  const types = atUnion.filter(({ keyword }) => keyword === 'type').map(typeName)
  if (types.length === 0) return undefined
  return { ...union, keyword: 'type', params: { type: [...new Set(types)] } }
}
