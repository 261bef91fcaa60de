import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

// Guarantee: only platform/egress opens connections to the outside. Two lint rules hold it: Biome by the names that are imported
// and by globals, dependency-cruiser by modules. This shows that both refuse what they should.

const PLANTED = 'apps/server/src/cards/sends-by-a-test.ts'
afterEach(() => rm(PLANTED, { force: true }))

const WAYS_OUT = [
  `import { request } from 'node:http'`,
  `import { get } from 'node:https'`,
  `import { connect as connect2 } from 'node:http2'`,
  `import { connect } from 'node:net'`,
  `import { connect as connectTls } from 'node:tls'`,
  `import { createSocket } from 'node:dgram'`,
  `import { lookup } from 'node:dns/promises'`,
  `import { lookup as lookup2 } from 'node:dns'`,
  `import { createRemoteJWKSet } from 'jose'`,
  `export const late = () => import('node:tls')`,
  `export const asked = () => fetch('https://shop.example')`,
  `export const socket = () => new WebSocket('wss://shop.example')`,
  `export const stream = () => new EventSource('https://shop.example')`,
]
const USES =
  'export const all = [request, get, connect2, connect, connectTls, createSocket, lookup, lookup2, createRemoteJWKSet]'

test('every way out is refused by name', { timeout: 60_000 }, async () => {
  await writeFile(PLANTED, [...WAYS_OUT, USES, ''].join('\n'))
  const biome = JSON.parse(await output('biome', ['lint', '--reporter=json', PLANTED]))
  const rows = biome.diagnostics
    .filter(({ category }: { category: string }) => /noRestricted(?:Imports|Globals)$/.test(category))
    .map(({ location }: { location: { start: { line: number } } }) => location.start.line)
  expect([...new Set(rows)].sort((one, other) => Number(one) - Number(other))).toEqual(
    WAYS_OUT.map((_, row) => row + 1),
  )

  const cruised = await output('depcruise', ['--config', '.dependency-cruiser.cjs', 'apps/server/src'])
  const modules = [...cruised.matchAll(/error only-egress-goes-out: \S+\/sends-by-a-test\.ts → (\S+)/g)].map(
    ([, to]) => to,
  )
  expect([...new Set(modules)].sort()).toEqual(['dgram', 'dns', 'dns/promises', 'http', 'http2', 'https', 'net', 'tls'])
})

test('libraries that connect by themselves are imported in one place each', { timeout: 60_000 }, async () => {
  const uses = 'export const all = [SMTPConnection, KMSClient]'
  const imports = [
    `import { KMSClient } from '@aws-sdk/client-kms'`,
    `import SMTPConnection from 'nodemailer/lib/smtp-connection'`,
  ]
  await writeFile(PLANTED, [...imports, uses, ''].join('\n'))
  const cruised = await output('depcruise', ['--config', '.dependency-cruiser.cjs', 'apps/server/src'])
  const rules = [...cruised.matchAll(/error ([\w-]+): \S+\/sends-by-a-test\.ts/g)].map(([, rule]) => rule)
  expect(rules.sort()).toEqual(['mails-leave-by-one-door', 'one-place-uses-an-sdk'])
})

test('what listens, and what only looks at an address, is allowed', async () => {
  const uses = 'export const all = [isIP, STATUS_CODES, null as IncomingMessage | Socket | null]'
  const allowed = [
    `import { type IncomingMessage, STATUS_CODES } from 'node:http'`,
    `import { isIP, type Socket } from 'node:net'`,
  ]
  await writeFile(PLANTED, [...allowed, uses, ''].join('\n'))
  expect(JSON.parse(await output('biome', ['lint', '--reporter=json', PLANTED])).diagnostics).toEqual([])
})

test('no file goes around the rules', () => {
  const source = 'apps/server/src'
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/[\\/]testing[\\/]/.test(file))
    .filter((file) => /globalThis\s*[.[]|getBuiltinModule|createRequire/.test(readFileSync(join(source, file), 'utf8')))
  expect(files).toEqual([])
})

async function output(program: string, words: string[]): Promise<string> {
  return promisify(execFile)(`node_modules/.bin/${program}`, words, { maxBuffer: 2 ** 24 }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  )
}
