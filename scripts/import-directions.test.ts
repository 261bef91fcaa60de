import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

// Guarantee: the lint rule for import directions reads our TypeScript and refuses what it names. The tool parses with swc,
// because TypeScript 7 has no API for other tools yet; a tool that reads nothing would accept everything.

const FEATURE = 'apps/server/src/cards/planted-by-a-test.ts'
/** A feature may be a folder of two levels. */
const PART = 'apps/server/src/wallets/orders/planted-by-a-test.ts'
const PURE = 'apps/server/src/wallets/orders/planted-by-a-test-rules.ts'
afterEach(() => Promise.all([FEATURE, PART, PURE].map((file) => rm(file, { force: true }))))

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
    `import { NO_EVENT } from '../no-event.ts'
import { lockCart } from '../carts/order.ts'
import { route } from '../../http/route.ts'
import { endpointWork } from '../../webhooks/delivery/store.ts'
import { verdictOf } from '../../webhooks/delivery/rules.ts'
export const all: unknown[] = [NO_EVENT, lockCart, route, endpointWork, verdictOf]
`,
  )
  await writeFile(PURE, `export { single } from '../../db/command.ts'\n`)
  const refused = await refusals()
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
    'neighbours-meet-at-the-service',
    'parts-meet-at-the-service',
    'rules-are-private',
    'services-know-no-http',
    'store-is-private',
  ])
  expect(refused(PURE)).toEqual(['rules-and-states-are-pure'])
}, 60_000)

/** The rules that refuse what a file imports. */
async function refusals(): Promise<(file: string) => string[]> {
  const found = [...(await cruise()).matchAll(/error ([\w-]+): (\S+) /g)]
  return (file) => [...new Set(found.flatMap(([, rule = '', from]) => (from === file ? [rule] : [])))].sort()
}

async function cruise(): Promise<string> {
  const words = ['--config', '.dependency-cruiser.cjs', 'apps/server/src']
  const run = promisify(execFile)('node_modules/.bin/depcruise', words)
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  )
}
