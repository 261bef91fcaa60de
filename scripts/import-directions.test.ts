import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

// Guarantee: the lint rule for import directions reads our TypeScript and refuses what it names. The tool parses with swc,
// because TypeScript 7 has no API for other tools yet; a tool that reads nothing would accept everything.
// Guarantee: only platform/egress opens connections to the outside. Two lint rules hold it: Biome by the names that are imported
// and by globals, dependency-cruiser by modules. This shows that both refuse what they should.
// One file, because it plants files among the sources: two that did so at once would take them away from under each other's tools.

const FEATURE = 'apps/server/src/cards/planted-by-a-test.ts'
/** A feature may be a folder of two levels. */
const PART = 'apps/server/src/wallets/orders/planted-by-a-test.ts'
const PURE = 'apps/server/src/wallets/orders/planted-by-a-test-rules.ts'
const SENDER = 'apps/server/src/cards/sends-by-a-test.ts'
const MAILER = 'apps/server/src/cards/mails-by-a-test.ts'
/** Below charges and beside nothing: what it names of theirs, a type as well, closes a circle. */
const BELOW = 'apps/server/src/mandates/planted-by-a-test.ts'
const PLANTED = [FEATURE, PART, PURE, SENDER, MAILER, BELOW]
afterEach(() => Promise.all(PLANTED.map((file) => rm(file, { force: true }))))

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

test('an import that points the wrong way is refused, by the name of its rule', async () => {
  await writeFile(
    FEATURE,
    `import { Registry } from '@prometheus-io/client'
import { createTransport } from 'nodemailer'
import { Client } from 'pg'
import { mint } from '../charges/mint.ts'
import { compose } from '../compose/app.ts'
import { KNOWN_CUSTOMER } from '../customers/fragments.ts'
import { route } from '../http/route.ts'
import { PASSKEY_ID_CONSTRAINT } from '../passkeys/store.ts'
import { failed } from '../passkeys/rules.ts'
import type { Session } from '../sessions/service.ts'
export const all: unknown[] = [Registry, createTransport, Client, mint, compose, KNOWN_CUSTOMER, route, PASSKEY_ID_CONSTRAINT, failed, null as Session | null]
`,
  )
  await writeFile(
    PART,
    `import { sandboxOnly } from '../errors.ts'
import { lockCart } from '../carts/order.ts'
import { route } from '../../http/route.ts'
import { endpointWork } from '../../webhooks/delivery/store.ts'
import { verdictOf } from '../../webhooks/delivery/rules.ts'
export const all: unknown[] = [sandboxOnly, lockCart, route, endpointWork, verdictOf]
`,
  )
  await writeFile(PURE, `export { single } from '../../db/command.ts'\n`)
  await writeFile(SENDER, waysOut())
  await writeFile(
    MAILER,
    `import { KMSClient } from '@aws-sdk/client-kms'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
export const all = [SMTPConnection, KMSClient]
`,
  )
  await writeFile(BELOW, `export type { ChargeService } from '../charges/service.ts'\n`)
  const cruised = await cruise()
  const refused = refusals(cruised)
  expect(refused(BELOW)).toEqual(['imports-go-down'])
  expect(refused(FEATURE)).toEqual([
    'fragments-are-for-stores',
    'imports-go-down',
    'mails-leave-by-one-door',
    'neighbours-meet-at-the-service',
    'one-place-composes',
    'one-place-connects-to-the-database',
    'one-place-knows-the-metrics-library',
    'rules-are-private',
    'services-know-no-http',
    'store-is-private',
  ])
  expect(refused(PART)).toEqual([
    'imports-go-down',
    'neighbours-meet-at-the-service',
    'parts-meet-at-the-service',
    'rules-are-private',
    'services-know-no-http',
    'store-is-private',
  ])
  expect(refused(PURE)).toEqual(['rules-and-states-are-pure'])
  // Libraries that connect by themselves are imported in one place each.
  expect(refused(MAILER)).toEqual(['mails-leave-by-one-door', 'one-place-uses-an-sdk'])
  const modules = [...cruised.matchAll(/error only-egress-goes-out: \S+\/sends-by-a-test\.ts → (\S+)/g)].map(
    ([, to]) => to,
  )
  expect([...new Set(modules)].sort()).toEqual(['dgram', 'dns', 'dns/promises', 'http', 'http2', 'https', 'net', 'tls'])
}, 60_000)

test('every way out is refused by name', async () => {
  await writeFile(SENDER, waysOut())
  const biome = JSON.parse(await output('biome', ['lint', '--reporter=json', SENDER]))
  const rows = biome.diagnostics
    .filter(({ category }: { category: string }) => /noRestricted(?:Imports|Globals)$/.test(category))
    .map(({ location }: { location: { start: { line: number } } }) => location.start.line)
  expect([...new Set(rows)].sort((one, other) => Number(one) - Number(other))).toEqual(
    WAYS_OUT.map((_, row) => row + 1),
  )
})

test('what listens, and what only looks at an address, is allowed', async () => {
  const uses = 'export const all = [isIP, STATUS_CODES, null as IncomingMessage | Socket | null]'
  const allowed = [
    `import { type IncomingMessage, STATUS_CODES } from 'node:http'`,
    `import { isIP, type Socket } from 'node:net'`,
  ]
  await writeFile(SENDER, [...allowed, uses, ''].join('\n'))
  expect(JSON.parse(await output('biome', ['lint', '--reporter=json', SENDER])).diagnostics).toEqual([])
})

test('no file goes around the rules', () => {
  const source = 'apps/server/src'
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !/[\\/]testing[\\/]/.test(file))
    .filter((file) => /globalThis\s*[.[]|getBuiltinModule|createRequire/.test(readFileSync(join(source, file), 'utf8')))
  expect(files).toEqual([])
})

const waysOut = () => [...WAYS_OUT, USES, ''].join('\n')

/** The rules that refuse what a file imports. */
function refusals(cruised: string): (file: string) => string[] {
  const found = [...cruised.matchAll(/error ([\w-]+): (\S+) /g)]
  return (file) => [...new Set(found.flatMap(([, rule = '', from]) => (from === file ? [rule] : [])))].sort()
}

const cruise = () => output('depcruise', ['--config', '.dependency-cruiser.cjs', 'apps/server/src'])

async function output(program: string, words: string[]): Promise<string> {
  return promisify(execFile)(`node_modules/.bin/${program}`, words, { maxBuffer: 2 ** 24 }).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  )
}
