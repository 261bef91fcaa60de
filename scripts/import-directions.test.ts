import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

// Guarantee: the lint rule for import directions reads our TypeScript and refuses what it names. The tool parses with swc,
// because TypeScript 7 has no API for other tools yet; a tool that reads nothing would accept everything.

const PLANTED = 'apps/server/src/cards/planted-by-a-test.ts'
afterEach(() => rm(PLANTED, { force: true }))

test('an import that points the wrong way is refused, by the name of its rule', async () => {
  await writeFile(
    PLANTED,
    `import { Registry } from '@prometheus-io/client'
import { createTransport } from 'nodemailer'
import { mint } from '../charges/mint.ts'
import { compose } from '../compose/app.ts'
import { KNOWN_CUSTOMER } from '../customers/fragments.ts'
import { route } from '../http/route.ts'
import { PASSKEY_ID_CONSTRAINT } from '../passkeys/store.ts'
import { failed } from '../passkeys/rules.ts'
import type { Session } from '../sessions/service.ts'
export const all: unknown[] = [Registry, createTransport, mint, compose, KNOWN_CUSTOMER, route, PASSKEY_ID_CONSTRAINT, failed, null as Session | null]
`,
  )
  const output = await cruise()
  const refused = [...output.matchAll(/error ([\w-]+): apps\/server\/src\/cards\/planted/g)].map(([, rule]) => rule)
  expect([...new Set(refused)].sort()).toEqual([
    'fragments-are-for-stores',
    'imports-go-down',
    'mails-leave-by-one-door',
    'neighbours-meet-at-the-service',
    'one-place-composes',
    'one-place-knows-the-metrics-library',
    'rules-are-private',
    'services-know-no-http',
    'store-is-private',
  ])
}, 60_000)

async function cruise(): Promise<string> {
  const words = ['--config', '.dependency-cruiser.cjs', 'apps/server/src']
  const run = promisify(execFile)('node_modules/.bin/depcruise', words)
  return run.then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  )
}
