type Json = { readonly [key: string]: unknown }

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** What is wrong with an OpenAPI 3.1 document: its structure, its references and its schemas. Empty: nothing found. */
export function openApiProblems(document: Json): string[] {
  const problems: string[] = []
  const note = (at: string, problem: string) => problems.push(`${at}: ${problem}`)
  if (!/^3\.1\.\d+$/.test(String(document.openapi))) note('openapi', 'is not 3.1')
  const info = object(document.info)
  for (const field of ['title', 'version']) if (typeof info[field] !== 'string') note(`info.${field}`, 'is missing')
  for (const reference of refsIn(document))
    if (resolve(document, reference) === undefined) note(reference, 'leads nowhere')
  const operationIds = new Set<string>()
  for (const [path, item] of Object.entries(object(document.paths))) {
    if (!path.startsWith('/')) note(path, 'does not start with /')
    for (const [method, operation] of Object.entries(object(item))) {
      const at = `${method} ${path}`
      if (!METHODS.has(method)) note(at, 'is no method')
      for (const problem of operationProblems(document, path, object(operation))) note(at, problem)
      const id = String(object(operation).operationId)
      if (operationIds.has(id)) note(at, `repeats the operation id ${id}`)
      operationIds.add(id)
    }
  }
  return problems
}

/** Every error code the document names, with where. */
export function documentedCodes(document: Json): { at: string; status: string; code: string }[] {
  return Object.entries(object(document.paths)).flatMap(([path, item]) =>
    Object.entries(object(item)).flatMap(([method, operation]) =>
      Object.entries(object(object(operation).responses)).flatMap(([status, response]) => {
        const schema = object(object(object(object(response).content)['application/json']).schema)
        const error = object(object(schema.properties).error)
        const codes = object(object(error.properties).code).enum
        return (Array.isArray(codes) ? codes : []).map((code) => ({
          at: `${method} ${path}`,
          status,
          code: String(code),
        }))
      }),
    ),
  )
}

function operationProblems(document: Json, path: string, operation: Json): string[] {
  const problems: string[] = []
  if (typeof operation.operationId !== 'string') problems.push('has no operation id')
  const tags = list(document.tags).map((tag) => object(tag).name)
  for (const tag of list(operation.tags)) if (!tags.includes(tag)) problems.push(`has the undeclared tag ${tag}`)
  const schemes = object(object(document.components).securitySchemes)
  for (const scheme of list(operation.security).flatMap((one) => Object.keys(object(one)))) {
    if (!(scheme in schemes)) problems.push(`needs the undeclared security ${scheme}`)
  }
  const parameters = list(operation.parameters).map(object)
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  if (named.join() !== inPath.map(({ name }) => name).join())
    problems.push('declares other path parameters than it has')
  for (const parameter of parameters) {
    if (!['path', 'query', 'header', 'cookie'].includes(String(parameter.in))) problems.push('has a parameter nowhere')
    if (parameter.in === 'path' && parameter.required !== true) problems.push('has an optional path parameter')
    problems.push(...schemaProblems(parameter.schema, String(parameter.name)))
  }
  problems.push(...contentProblems(operation.requestBody, 'request'))
  const responses = Object.entries(object(operation.responses))
  if (!responses.some(([status]) => /^2\d\d$/.test(status))) problems.push('never succeeds')
  for (const [status, response] of responses) {
    if (!/^[1-5]\d\d$/.test(status)) problems.push(`has the status ${status}`)
    if (typeof object(response).description !== 'string') problems.push(`says nothing of ${status}`)
    problems.push(...contentProblems(response, status))
  }
  return problems
}

function contentProblems(holder: unknown, at: string): string[] {
  return Object.entries(object(object(holder).content)).flatMap(([type, media]) =>
    type.includes('/') ? schemaProblems(object(media).schema, at) : [`${at} has the media type ${type}`],
  )
}

/** JSON Schema 2020-12, as far as this API uses it. */
function schemaProblems(value: unknown, at: string): string[] {
  if (typeof value === 'boolean') return []
  if (typeof value !== 'object' || value === null) return [`${at} has no schema`]
  const schema = object(value)
  const problems: string[] = []
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]
  for (const type of types) if (!TYPES.has(String(type))) problems.push(`${at} has the type ${type}`)
  if ('enum' in schema && list(schema.enum).length === 0) problems.push(`${at} allows nothing`)
  if ('pattern' in schema && !compiles(String(schema.pattern))) problems.push(`${at} has a broken pattern`)
  if ('nullable' in schema) problems.push(`${at} uses nullable, which 3.1 does not know`)
  const properties = object(schema.properties)
  for (const name of list(schema.required)) {
    if (schema.$ref === undefined && !(String(name) in properties)) problems.push(`${at} requires the unknown ${name}`)
  }
  for (const [name, inner] of Object.entries(properties)) problems.push(...schemaProblems(inner, `${at}.${name}`))
  for (const inner of [...list(schema.anyOf), ...list(schema.oneOf), ...list(schema.allOf)]) {
    problems.push(...schemaProblems(inner, at))
  }
  if (types.includes('array')) problems.push(...schemaProblems(schema.items, `${at}[]`))
  return problems
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  )
}

function resolve(document: Json, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, segment) => object(value)[segment.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
