// Guarantee: what is published works in an empty project, without TypeScript and with it, on the oldest Node of the
// machine, and brings no dependency and nothing of the project's inside with it.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { AGENT_PAYLOAD_VECTORS } from '@mintmark/contract/agent-payload'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService } from '../../../apps/server/test/service.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')
const BUILD = join(import.meta.dirname, '../build.ts')

let folder: string
let project: string
/** Paths in the tarball. */
let packed: string[]
let tarballName: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'mintmark-package-')))
  project = join(folder, 'project')
  await mkdir(project)
  await run(process.execPath, [BUILD, join(folder, 'package')])
  const npm = async (words: string[], cwd: string) => (await run('npm', [...words, '--silent'], { cwd })).stdout
  const [tarball] = JSON.parse(await npm(['pack', '--json', '--pack-destination', folder], join(folder, 'package')))
  tarballName = tarball.filename
  packed = tarball.files.map(({ path }: { path: string }) => path)
  await writeFile(join(project, 'package.json'), '{ "private": true }')
  await npm(['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball.filename)], project)
}, 120_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/**
 * The Node of the machine before ours on PATH where there is one: the oldest that can be had. Else the one of the
 * tests.
 */
function oldestNode(): string {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((part) => part !== '' && !part.startsWith(ROOT))
    .map((part) => join(part, 'node'))
    .filter((path) => existsSync(path))
  return found[0] ?? process.execPath
}

const SIGN_AND_VERIFY = `
const secret = 'whsec_' + 'A'.repeat(43) + '='
const body = JSON.stringify({ id: 'evt_1', type: 'webhook.endpoint_verification', challenge: 'abc' })
const headers = signWebhook(body, { id: 'evt_1', secrets: secret })
console.log(JSON.stringify(challengeAnswer(verifyWebhook(body, headers, secret))))
try { verifyWebhook(JSON.parse(body), headers, secret) } catch (error) { console.log(error instanceof WebhookVerificationError, error.code) }
const [d, x] = ['nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo']
const privateKey = { kty: 'OKP', crv: 'Ed25519', d, x }
console.log(Object.keys(signRequest({ method: 'POST', url: 'https://a.example', body }, { privateKey })).join())
for (const { payload, recipient } of ${JSON.stringify(AGENT_PAYLOAD_VECTORS)}) console.log(openPayload(payload, recipient).mandateId)
console.log(typeof events, EVENT_TYPES.length > 0, process.versions.node.split('.')[0])`
/** A merchant and an agent, with the package alone. */
const PAY = `
const [apiUrl, secretKey] = process.argv.slice(2)
const mintmark = new Mintmark({ apiUrl, secretKey })
const agent = new MintmarkAgent({ apiUrl, key: generateKeyPairSync('ed25519').privateKey })
const { link_id } = await agent.links.create({ name: 'Pantry' })
await mintmark.testHelpers.approveAgentLink(link_id)
const { session_id, mandate_id } = await agent.sessions.create({
  total_amount: '50.00', currency: 'USD', mandate_setup: { recurring_frequency: 'monthly' },
  merchant_name: 'Tea House', merchant_url: 'https://tea.example', merchant_country: 'US',
  products: [{ description: 'Tea', unit_price: '50.00' }],
})
await mintmark.testHelpers.completeSession(session_id)
const charge = await agent.charges.create(mandate_id, { amount: '20.00' })
const { token } = agent.open(charge.encrypted_payload)
const { status } = await agent.charges.report(mandate_id, charge.transactionId, { txn_status: 'APPROVED', txn_type: 'PURCHASE' })
console.log(token.length, status)
await mintmark.sessions.create({}).catch((error) => console.log(error instanceof MintmarkApiError, error.code))
`

test('a whole payment, on the oldest Node of the machine', async () => {
  const service = await startTestService()
  try {
    const first = `import { generateKeyPairSync } from 'node:crypto'\nimport { Mintmark, MintmarkAgent, MintmarkApiError } from '@mintmark/node'`
    await writeFile(join(project, 'pay.mjs'), first + PAY)
    const words = ['--no-warnings', 'pay.mjs', service.apiUrl, service.merchant.secretKey]
    const { stdout } = await run(oldestNode(), words, { cwd: project })
    expect(stdout.trim().split('\n')).toEqual(['16 completed', 'true VAL_2001'])
  } finally {
    await service.close()
  }
})

test('the tools that judge packages find nothing', async () => {
  const tarball = join(folder, tarballName)
  const tool = (name: string, words: string[]) =>
    run(process.execPath, [join(ROOT, 'node_modules', name), ...words], { cwd: project })
  // Each ends with an error for what it finds. It is of modules alone, which `require` takes from Node 20.19 on.
  await Promise.all([
    tool('@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only', '--no-emoji']),
    tool('publint/src/cli.js', ['run', tarball, '--strict']),
  ])
})

const NAMES =
  'challengeAnswer, EVENT_TYPES, events, openPayload, signRequest, signWebhook, verifyWebhook, WebhookVerificationError'

test.each([
  ['import', 'use.mjs', `import { ${NAMES} } from '@mintmark/node'`],
  ['require', 'use.cjs', `const { ${NAMES} } = require('@mintmark/node')`],
])('plain JavaScript uses it by %s', async (_name, file, first) => {
  await writeFile(join(project, file), first + SIGN_AND_VERIFY)
  const node = oldestNode()
  const { stdout } = await run(node, ['--no-warnings', file], { cwd: project })
  const version = (await run(node, ['-p', 'process.versions.node.split(".")[0]'])).stdout.trim()
  expect(stdout.trim().split('\n')).toEqual([
    '{"challenge":"abc"}',
    'true BODY_PARSED',
    'content-digest,signature-input,signature',
    ...AGENT_PAYLOAD_VECTORS.map(() => 'mdt_0000000000vector'),
    `function true ${version}`,
  ])
})

test('its page says how it is got, while it is on no registry', async () => {
  const page = await readFile(join(ROOT, 'packages/node/README.md'), 'utf8')
  const [make = '', install = ''] = /^```sh\n(.*)\n(.*)\n```$/m.exec(page)?.slice(1) ?? []
  expect(make).toBe('npx node packages/node/build.ts && npm pack ./packages/node/dist')
  expect(install).toMatch(/^npm install \S+\.tgz$/)
  expect(install).toContain(`/${tarballName}`)
  for (const path of ['packages/node/build.ts', 'packages/node/package.json'])
    expect(existsSync(join(ROOT, path))).toBe(true)
})

test.each(['es2022', 'es2019'])(
  'TypeScript for %s knows the events, strictly, and with the declarations checked',
  {
    timeout: 60_000,
  },
  async (target) => {
    const source = `import { events, type MandateChargeResult, Mintmark, verifyWebhook } from '@mintmark/node'
import type { IncomingMessage } from 'node:http'
export async function pay(mintmark: Mintmark): Promise<MandateChargeResult> {
  // @ts-expect-error There is no such frequency.
  const setup: Parameters<typeof mintmark.sessions.create>[0]['mandate_setup'] = { recurring_frequency: 'daily' }
  for await (const { id } of mintmark.mandates.all({ standing_only: true, limit: 10 })) {
    const charge = await mintmark.charges.create(id, { amount: '1.00' }, { retries: 2 })
    // @ts-expect-error A charge has no such field.
    charge.nothing satisfies string
    return charge.reference === setup?.intent ? charge : mintmark.charges.check(id, { amount: '1.00' })
  }
  throw new Error('none')
}
export async function use(request: IncomingMessage, body: Buffer, fetched: Request): Promise<string> {
  const event = verifyWebhook(body, request.headers, process.env.SECRET ?? '')
  verifyWebhook(await fetched.text(), fetched.headers, ['whsec_x'])
  // @ts-expect-error A parsed body.
  verifyWebhook({ id: 'evt_1' }, request.headers, 'x')
  for await (const page of events({ apiUrl: 'http://x', secretKey: 'sk', cursor: '0' })) page.cursor satisfies string
  switch (event.type) {
    case 'webhook.endpoint_verification':
      return event.challenge
    case 'payment.failed':
      return event.data.error_code ?? event.data.amount.value
    case 'mandate.created':
      // @ts-expect-error There is no such field.
      return event.data.nothing
    default:
      return event.id
  }
}
`
    await writeFile(join(project, 'use.ts'), source)
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
      target,
    }
    const node = { module: 'nodenext', types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }
    const compilerOptions = { ...options, ...node }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch((error: { stdout: string }) => error)
    expect(stdout).toBe('')
  },
)

test('the package has code, types, licence and readme, no test, no source, no dependency', async () => {
  expect(packed.filter((path) => !/\.(?:js|d\.ts)$/.test(path)).sort()).toEqual([
    'LICENSE',
    'NOTICE',
    'README.md',
    'package.json',
  ])
  expect(packed.filter((path) => /test|build/.test(path))).toEqual([])
  const installed = join(project, 'node_modules/@mintmark/node')
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('private')
  // A registry takes a package with a scope for a private one, unless it is told.
  expect(manifest).toMatchObject({ publishConfig: { access: 'public' } })
  for (const path of packed.filter((name) => name.endsWith('.js'))) {
    const text = await readFile(join(installed, path), 'utf8')
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, from = '']) => from)
    expect(imports.filter((from) => !/^(?:\.{1,2}\/|node:)/.test(from))).toEqual([])
  }
})
