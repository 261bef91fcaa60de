// Guarantee: the published description of a host is whole (every property explained, an example of every call, every
// status) and true (the examples fit), and linters that are not ours have nothing to say about it.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import SwaggerParser from '@apidevtools/swagger-parser'
import { brandedNames } from '@mintmark/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { Envelope } from '../src/http/envelope.ts'
import { FORMATS } from '../src/http/formats.ts'
import { type ApiDocumentInfo, buildApiDocument, statusesOf } from '../src/http/openapi.ts'
import { createSchemaComponents } from '../src/http/openapi-schemas.ts'
import type { Route } from '../src/http/route.ts'

interface DescribedHost {
  info: ApiDocumentInfo
  rows: readonly Route[]
  envelope: Envelope
  /** Some of the schemas that must have a name. */
  schemas: readonly string[]
}

/** The description of a host, as its readers get it. */
// biome-ignore lint/suspicious/noExplicitAny: tests read the document as a caller would, without types.
export function documentOf({ info, rows, envelope }: Omit<DescribedHost, 'schemas'>): any {
  return JSON.parse(JSON.stringify(buildApiDocument(info, { rows, envelope, brand: brandedNames('network') })))
}

export function describeDocument(host: DescribedHost): void {
  const document = documentOf(host)
  const operations = host.rows.map((row) => {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
    return { id: row.operationId, row, operation: document.paths[path][row.method.toLowerCase()] }
  })
  const described = { ...host, document, operations }
  testLinters(described)
  testWords(described)
  testExamples(described)
}

interface Described extends DescribedHost {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  document: any
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  operations: { id: string; row: Route; operation: any }[]
}

function testLinters({ document }: Described): void {
  test('Swagger Parser, which is not ours, has nothing to say', async () => {
    await expect(SwaggerParser.validate(structuredClone(document))).resolves.toBeDefined()
  })
}

/** All at once: the program takes longer to start than to read a document. */
export async function expectRedoclyAgrees(hosts: readonly Omit<DescribedHost, 'schemas'>[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'mintmark-openapi-'))
  const files = hosts.map((_, at) => join(directory, `openapi-${at}.json`))
  for (const [at, file] of files.entries())
    await writeFile(file, JSON.stringify(documentOf(hosts[at] as DescribedHost)))
  const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
  const run = promisify(execFile)(
    process.execPath,
    [cli, 'lint', ...files, '--extends', 'recommended-strict', '--format', 'json'],
    { cwd: directory, env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  )
  const { stdout } = await run.catch((failed: { stdout: string }) => failed)
  await rm(directory, { recursive: true })
  // One verdict a document, without a word between them.
  const verdicts = stdout
    .trim()
    .split(/(?<=^\})(?=\{)/m)
    .map((text) => JSON.parse(text))
  const nothing = { totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] }
  expect(verdicts).toMatchObject(hosts.map(() => nothing))
}

function testWords({ document, operations, info, schemas }: Described): void {
  test('says where it is served, by whom, and what each tag is about', () => {
    expect(document.servers).toEqual([{ url: info.servers[0]?.url, description: 'Sandbox' }])
    for (const { description } of document.tags) expect(description).toMatch(/\S.*[.]$/)
    for (const { id, operation } of operations) {
      expect([id, operation.summary, operation.description]).toEqual([
        id,
        expect.stringMatching(/\S/),
        expect.any(String),
      ])
    }
  })

  test('names its schemas, and no two by one name', () => {
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(['Error', ...schemas]))
    const components = createSchemaComponents()
    components.add({ title: 'A', type: 'string' })
    expect(() => components.add({ title: 'A', type: 'string', description: 'Elsewhere.' })).not.toThrow()
    expect(() => components.add({ title: 'A', type: 'integer' })).toThrow('Two different schemas are called A')
  })

  test('explains every property and every parameter', () => {
    const silent: string[] = []
    visit(document, '', (value, at) => {
      for (const [name, schema] of Object.entries(value.properties ?? {})) {
        const narrowed = /\/responses\/[45]\d\d\//.test(at)
        if (!narrowed && !(schema as { description?: string }).description) silent.push(`${at}/${name}`)
      }
      if (typeof value.in === 'string' && !value.description) silent.push(`${at} (parameter ${value.name})`)
    })
    expect(silent).toEqual([])
  })

  test('names every status that any request may meet', () => {
    for (const { id, operation } of operations) {
      const statuses = Object.keys(operation.responses)
      expect(statuses, id).toEqual(expect.arrayContaining(['400', '408', '413', '415', '417', '431', '500', '503']))
      const isHealth = operation.tags.includes('Health')
      if (!isHealth) expect(statuses, id).toEqual(expect.arrayContaining(['401', '429']))
    }
  })
}

function testExamples({ document, operations }: Described): void {
  describe('examples', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'document', undefined, false)
    const own = new Ajv2020({ strict: false })
    for (const [name, { test: fits }] of Object.entries(FORMATS))
      own.addFormat(name, { type: 'string', validate: fits })

    /** By the words of the schema: what they refer to is named from the top of the document. */
    const judges = new Map<string, ValidateFunction>()

    /** Judges by the schema as it is published, where it stands. */
    function problems(pointer: string, value: unknown): unknown {
      const words = JSON.stringify(standingAt(document, pointer))
      const validate = judges.get(words) ?? ajv.compile({ $ref: `document#${pointer}` })
      judges.set(words, validate)
      return validate(value) ? null : validate.errors
    }

    test.each(operations.map(({ id, row, operation }) => [id, row, operation] as const))(
      '%s',
      (_id, row, operation) => {
        const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
        const at = `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${row.method.toLowerCase()}`
        if (row.body !== undefined) {
          const { example } = operation.requestBody.content['application/json']
          expect(example).toBeDefined()
          expect(problems(`${at}/requestBody/content/application~1json/schema`, example)).toBeNull()
          const validate = own.compile(row.body)
          expect([validate(example), validate.errors, row.check?.(example) ?? {}]).toEqual([true, null, {}])
        }
        const { example } = operation.responses[row.status].content['application/json']
        expect(example).toBeDefined()
        expect(problems(`${at}/responses/${row.status}/content/application~1json/schema`, example)).toBeNull()
        expect(own.compile(row.response)(row.example?.response)).toBe(true)
      },
    )

    test('of errors, one a code, fit too', () => {
      let seen = 0
      for (const { row, operation } of operations) {
        const path = encodeURIComponent(row.path.replaceAll(/:(\w+)/g, '{$1}').replaceAll('/', '~1'))
        for (const status of statusesOf(row).filter((one) => one >= 400)) {
          const { examples } = operation.responses[status].content['application/json']
          const pointer = `/paths/${path}/${row.method.toLowerCase()}/responses/${status}/content/application~1json/schema`
          for (const { value } of Object.values<{ value: unknown }>(examples)) {
            expect(problems(pointer, value)).toBeNull()
            seen += 1
          }
        }
      }
      expect(seen).toBeGreaterThan(operations.length * 8)
    })

    test('and defaults of single properties fit', () => {
      const wrong: string[] = []
      visit(document.components.schemas, '/components/schemas', (value, at) => {
        const { examples = [], default: fallback } = value
        if (!Array.isArray(examples)) return
        for (const one of [...examples, ...(fallback === undefined ? [] : [fallback])]) {
          if (problems(at, one) !== null) wrong.push(`${at}: ${JSON.stringify(one)}`)
        }
      })
      expect(wrong).toEqual([])
    })
  })
}

/** What a pointer leads to, as it is written after a `#`. */
function standingAt(document: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1)
  return names.reduce<unknown>((at, name) => {
    const inner = (at as Record<string, unknown>)[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')]
    if (inner === undefined) throw new Error(`Nothing stands at ${pointer}.`)
    return inner
  }, document)
}

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape.
function visit(value: any, at: string, look: (value: any, at: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) look(value, at)
  for (const [key, inner] of Object.entries(value)) {
    visit(inner, `${at}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`, look)
  }
}
