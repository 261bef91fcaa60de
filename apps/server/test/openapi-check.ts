import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'

type Json = { readonly [key: string]: unknown }

/**
 * What is wrong with an OpenAPI 3.1 document: its form (by the official schema), the JSON Schemas in it, and what
 * neither can see, that names fit together. Empty: nothing found.
 */
export async function openApiProblems(document: Json): Promise<string[]> {
  return [...(await formProblems(document)), ...schemaProblems(document), ...namingProblems(document)]
}

/** Every error code the document names, with where. */
export function documentedCodes(document: Json): { at: string; status: string; code: string }[] {
  return operations(document).flatMap(({ at, operation }) =>
    Object.entries(object(operation.responses)).flatMap(([status, response]) => {
      const schema = object(object(object(object(response).content)['application/json']).schema)
      const error = object(object(schema.properties).error)
      const codes = list(object(object(error.properties).code).enum)
      return codes.map((code) => ({ at, status, code: String(code) }))
    }),
  )
}

async function formProblems(document: Json): Promise<string[]> {
  const version = String(document.openapi)
  if (!/^3\.1\.\d+$/.test(version)) return [`openapi: ${version} is not 3.1`]
  // The validator changes what it is given.
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  if (valid) return []
  if (!Array.isArray(errors)) return [String(errors)]
  return errors.map(({ instancePath, message }) => `${instancePath}: ${message}`)
}

/** Compiles every schema where it stands, so that types, patterns, required fields and references are all looked at. */
function schemaProblems(document: Json): string[] {
  const ajv = new Ajv2020({
    ...{ strictSchema: false, strictTypes: false, strictRequired: true, validateFormats: false },
    // What is compiled is never run.
    code: { optimize: false },
  })
  ajv.addSchema(document, 'document', undefined, false)
  // Most errors of most operations are the same: each schema is compiled where it stands first.
  const seen = new Set<string>()
  return schemaPointers(document, '').flatMap(({ pointer, text }) => {
    if (seen.size === seen.add(text).size) return []
    try {
      const schema = ajv.getSchema(`document#${pointer}`)?.schema
      ajv.validateSchema(typeof schema === 'object' ? schema : {}, true)
      return []
    } catch (error) {
      return [`${pointer}: ${error instanceof Error ? error.message : error}`]
    }
  })
}

/** The JSON pointer of each `schema` and of each shared one, and what it says. */
function schemaPointers(value: unknown, at: string): { pointer: string; text: string }[] {
  return Object.entries(object(value)).flatMap(([key, inner]) => {
    const pointer = `${at}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`
    if (key === 'schema' || at === '/components/schemas') return [{ pointer, text: JSON.stringify(inner) }]
    return Array.isArray(inner)
      ? inner.flatMap((entry, index) => schemaPointers(entry, `${pointer}/${index}`))
      : schemaPointers(inner, pointer)
  })
}

function namingProblems(document: Json): string[] {
  const tags = list(document.tags).map((tag) => object(tag).name)
  const schemes = object(object(document.components).securitySchemes)
  const seen = new Set<unknown>()
  return operations(document).flatMap(({ at, path, operation }) => {
    const { operationId } = operation
    const needed = list(operation.security).flatMap((one) => Object.keys(object(one)))
    const inPath = list(operation.parameters)
      .map(object)
      .filter((parameter) => parameter.in === 'path')
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const media = [operation.requestBody, ...Object.values(object(operation.responses))].flatMap((holder) =>
      Object.keys(object(object(holder).content)),
    )
    const succeeds = Object.keys(object(operation.responses)).some((status) => /^2\d\d$/.test(status))
    const problems = [
      ...(typeof operationId === 'string' ? [] : ['has no operation id']),
      ...(seen.has(operationId) ? [`repeats the operation id ${operationId}`] : []),
      ...list(operation.tags)
        .filter((tag) => !tags.includes(tag))
        .map((tag) => `has the undeclared tag ${tag}`),
      ...needed.filter((name) => !(name in schemes)).map((name) => `needs the undeclared security ${name}`),
      ...(named.join() === inPath.map(({ name }) => name).join() ? [] : ['declares other path parameters than it has']),
      ...media.filter((type) => !type.includes('/')).map((type) => `has the media type ${type}`),
      ...(succeeds ? [] : ['never succeeds']),
    ]
    seen.add(operationId)
    return problems.map((problem) => `${at}: ${problem}`)
  })
}

function operations(document: Json): { at: string; path: string; operation: Json }[] {
  return Object.entries(object(document.paths)).flatMap(([path, item]) =>
    Object.entries(object(item)).map(([method, operation]) => ({
      at: `${method} ${path}`,
      path,
      operation: object(operation),
    })),
  )
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
