/** What of JSON Schema the description of the API and the bodies of events use. */
export interface Described {
  $ref?: string
  type?: string
  description?: string
  enum?: string[]
  const?: unknown
  pattern?: string
  anyOf?: Described[]
  items?: Described
  properties?: Record<string, Described>
  required?: string[]
  additionalProperties?: boolean | Described
}

interface WriterOptions {
  /** Names of schemas that are called otherwise here. */
  renamed?: Readonly<Record<string, string>>
  /** The name of the network in field names, which each deployment chooses. */
  brand?: string
  /** Whether a field that may be left out may be there as `undefined` too. */
  takesUndefined?: boolean
}

/** A longer set of values is text: no developer reads 200 countries in a tooltip. */
const MAX_VALUES = 60

/** Schemas as TypeScript. */
export function createTypeWriter({ renamed = {}, brand, takesUndefined = false }: WriterOptions = {}) {
  function declaration(name: string, schema: Described): string {
    const isObject = schema.properties !== undefined
    const head = isObject ? `export interface ${name} ` : `export type ${name} = `
    return `${comment(schema.description)}${head}${isObject ? object(schema) : type(schema)}`
  }

  function type(schema: Described): string {
    if (schema.$ref !== undefined) return named(schema.$ref)
    if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(type))].join(' | ')
    if (schema.const !== undefined) return literal(schema.const)
    if (schema.enum !== undefined) return values(schema.enum)
    if (schema.type === 'array') return `Array<${type(schema.items ?? {})}>`
    if (schema.properties !== undefined) return object(schema)
    if (schema.type === 'object') return `Record<string, ${record(schema)}>`
    return schema.type === undefined ? 'unknown' : (SCALARS[schema.type] ?? 'unknown')
  }

  function object({ properties = {}, required = [], additionalProperties }: Described): string {
    const fields = Object.entries(properties).map(([name, field]) => {
      const [mark, end] = required.includes(name) ? ['', ''] : ['?', takesUndefined ? ' | undefined' : '']
      return `${comment(field.description)}${key(name)}${mark}: ${type(field)}${end}`
    })
    if (additionalProperties === true) fields.push('[name: string]: unknown')
    return `{\n${fields.join('\n')}\n}`
  }

  function key(name: string): string {
    if (brand === undefined || !name.startsWith(brand)) return /^\w+$/.test(name) ? name : JSON.stringify(name)
    return `[name: \`\${string}${name.slice(brand.length)}\`]`
  }

  function record({ additionalProperties }: Described): string {
    return typeof additionalProperties === 'object' ? type(additionalProperties) : 'unknown'
  }

  function named(reference: string): string {
    const name = reference.slice(reference.lastIndexOf('/') + 1)
    return renamed[name] ?? name
  }

  return { declaration, type, object }
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

function literal(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

function quoted(value: string): string {
  return `'${value.replaceAll(/['\\]/g, '\\$&')}'`
}

function values(all: readonly string[]): string {
  return all.length > MAX_VALUES ? 'string' : all.map(quoted).join(' | ')
}

function comment(description: string | undefined): string {
  return description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`
}

/** What is not committed has no formatter: each brace is one step to the right. */
export function indented(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => {
    const isComment = line.startsWith('/')
    if (line.startsWith('}')) depth -= 1
    const moved = line === '' ? '' : `${'  '.repeat(depth)}${line}`
    if (!isComment && line.endsWith('{')) depth += 1
    return moved
  })
  return lines.join('\n')
}
