import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type MintmarkEvent, signWebhook } from '@mintmark/node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { secret } from '../apps/server/src/platform/secret.ts'
import { signedHeaders } from '../apps/server/src/webhooks/signature.ts'
import { approvedSession } from '../apps/server/test/flows.ts'
import { startTestService, type TestService } from '../apps/server/test/service.ts'

// The guide to webhooks and the page of the SDK: what they show is run as it stands there.

const ROOT = join(import.meta.dirname, '..')
const GUIDE = 'docs/guides/webhooks.md'
const run = promisify(execFile)

async function blocks(path: string, opening: string): Promise<string[]> {
  const text = await readFile(join(ROOT, path), 'utf8')
  const found = [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].filter(([, info]) => info === opening)
  return found.map(([, , body = '']) => body)
}

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startTestService({ env: { WEBHOOK_ALLOW_LOOPBACK: 'on' } })
  folder = await mkdtemp(join(tmpdir(), 'mintmark-webhooks-'))
  // Modules in the folder find the package as those of a project that installed it.
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
})
afterAll(async () => {
  await service?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** Imports a block as a module of a project that has the package. */
async function moduleOf(name: string, source: string) {
  const path = join(folder, `${name}.mjs`)
  await writeFile(path, source)
  return import(path)
}

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const BODY = '{"id":"evt_1","type":"payment.succeeded","name":"Té – 茶"}'

describe('by hand', () => {
  const keys = [newSecret(), newSecret()]
  const signed = (at = new Date(), secrets = keys) =>
    signedHeaders({
      id: 'evt_1',
      deliveryId: 'whd_1',
      body: BODY,
      secrets: secrets.map((key) => secret(key)),
      at,
      prefix: 'Mintmark',
    })

  test.each<[string, string, (headers: Record<string, string>) => unknown]>([
    ['standard', 'verify', (headers) => headers],
    ['older', 'verifyOlder', (headers) => headers['Mintmark-Signature']],
  ])('the %s form, as the service signs it, during a rotation too', async (form, name, of) => {
    const verify = (await moduleOf(form, (await blocks(GUIDE, `js ${form}`))[0] ?? ''))[name]
    for (const key of keys) expect(verify(BODY, of(signed()), key)).toBe(true)
    expect(verify(BODY, of(signed()), newSecret())).toBe(false)
    expect(verify(`${BODY} `, of(signed()), keys[0])).toBe(false)
    for (const minutes of [-6, 6])
      expect(verify(BODY, of(signed(new Date(Date.now() + minutes * 60_000))), keys[0])).toBe(false)
  })

  test('whatever a stranger sends is refused and ends nothing; without a secret nothing is verified', async () => {
    const standard = (await moduleOf('standard-hostile', (await blocks(GUIDE, 'js standard'))[0] ?? '')).verify
    const older = (await moduleOf('older-hostile', (await blocks(GUIDE, 'js older'))[0] ?? '')).verifyOlder
    const time = String(Math.floor(Date.now() / 1000))
    const signatures = [
      undefined,
      '',
      'v1',
      'v1,',
      'v1=',
      ',,',
      '=',
      `v1=${'z'.repeat(64)}`,
      `v1=${'é'.repeat(64)}`,
      'v1,é',
    ]
    for (const signature of signatures) {
      const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': time, 'webhook-signature': signature }
      expect([signature, standard(BODY, headers, keys[0])]).toEqual([signature, false])
      for (const header of [signature, signature && `t=${time},${signature}`, `t,${signature}`]) {
        expect([header, older(BODY, header, keys[0])]).toEqual([header, false])
      }
    }
    expect(standard(BODY, {}, keys[0])).toBe(false)
    for (const none of ['', undefined, 'whsec_']) {
      expect(() => standard(BODY, signed(), none)).toThrow('no secret')
      expect(() => older(BODY, signed()['Mintmark-Signature'], none)).toThrow('no secret')
    }
  })
})

test.each([
  ['that needs no package, outside of any project', 'js bare'],
  ['with the package', 'js run'],
])(
  'the receiver %s is registered, verified, enabled and tested as the guide says',
  { timeout: 60_000 },
  async (_, opening) => {
    const [program = ''] = await blocks(GUIDE, opening)
    const own = opening === 'js bare' ? await mkdtemp(join(tmpdir(), 'mintmark-bare-')) : folder
    const commands = await blocks(GUIDE, 'bash run')
    expect(commands).toHaveLength(3)
    await writeFile(join(own, 'receiver.mjs'), program)
    const [setup = ''] = await blocks('README.md', 'bash')
    const port = await freePort()
    const shell = async (script: string, env: Record<string, string> = {}): Promise<string[]> => {
      const lines = (setup + script).split('\n').filter((line) => !/^(?:API|KEY|URL)=/.test(line))
      const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
      const given = {
        PATH,
        API: service.apiUrl,
        KEY: service.merchant.secretKey,
        URL: `http://localhost:${port}/webhooks`,
      }
      const options = { env: { ...process.env, ...given, ...env }, cwd: folder }
      return (await run('bash', ['-c', ['set -euo pipefail', ...lines].join('\n')], options)).stdout
        .trimEnd()
        .split('\n')
    }
    const register = (commands[0] ?? '').replace('endpoint-1', `endpoint-${opening.slice(3)}`)
    const [key = '', state, endpoint = ''] = await shell(`${register}\necho "$ENDPOINT"`)
    expect([key, state]).toEqual([expect.stringMatching(/^whsec_/), 'unverified'])

    const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRETS: `${newSecret()},${key}` }
    const receiver = spawn(process.execPath, ['receiver.mjs'], { cwd: own, env })
    try {
      let output = ''
      receiver.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
      await listening(port)
      expect(await shell(`${commands[1]}${commands[2]}`, { ENDPOINT: endpoint })).toEqual(['paused', 'active', '204'])
      expect(output).toMatch(/^payment\.succeeded txn_\w+\n$/)
      // Signed by another secret, changed on its way, and recorded six minutes ago.
      const forged = signWebhook(BODY, { id: 'evt_1', secrets: newSecret() })
      const right = signWebhook(BODY, { id: 'evt_1', secrets: key })
      const stale = signWebhook(BODY, { id: 'evt_1', secrets: key, now: new Date(Date.now() - 360_000) })
      const post = async (headers: Record<string, string>, body: string) =>
        (await fetch(`http://localhost:${port}`, { method: 'POST', headers, body })).status
      expect([await post(forged, BODY), await post(right, `${BODY} `), await post(stale, BODY)]).toEqual([
        400, 400, 400,
      ])
      // A sender that hangs up in the middle of its body, and one whose body never ends.
      await hangUp(port)
      const endless = { method: 'POST', body: 'x'.repeat(1_000_000) }
      await fetch(`http://localhost:${port}`, endless).then(
        ({ status }) => expect(status).toBe(400),
        () => undefined,
      )
    } finally {
      const ended = receiver.exitCode === null ? once(receiver, 'exit') : undefined
      receiver.kill()
      await ended
      if (own !== folder) await rm(own, { recursive: true, force: true })
    }
  },
)

test('catching up, as the guide shows it', async () => {
  const { catchUp } = await moduleOf('feed', (await blocks(GUIDE, 'js feed'))[0] ?? '')
  const seen = new Map<string, MintmarkEvent>()
  let cursor = '0'
  const store = {
    readCursor: async () => cursor,
    saveCursor: async (next: string) => {
      cursor = next
    },
    insertOnce: async (event: MintmarkEvent) => seen.set(event.id, event),
  }
  await approvedSession(service.merchant)
  await service.runJobs()
  const account = { apiUrl: service.apiUrl, secretKey: service.merchant.secretKey }
  await catchUp({ ...account, store })
  expect([...seen.values()].map(({ type }) => type)).toEqual(['payment.credentials_ready'])
  await approvedSession(service.merchant)
  await service.runJobs()
  await catchUp({ ...account, store })
  expect(seen.size).toBe(2)
})

test("the function on the SDK's page verifies, answers, keeps and refuses", async () => {
  const [source = ''] = await blocks('packages/node/README.md', 'js run')
  const { receive } = await moduleOf('receive', source)
  const key = newSecret()
  const kept: unknown[] = []
  const options = { secrets: [key], store: async (event: unknown) => kept.push(event) }
  const send = (body: string, secrets = key) => receive(body, signWebhook(body, { id: 'evt_1', secrets }), options)
  expect(await send(BODY)).toEqual([204, ''])
  const asked = '{"id":"evt_2","type":"webhook.endpoint_verification","challenge":"abc"}'
  expect(await send(asked)).toEqual([200, '{"challenge":"abc"}'])
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await send(BODY, newSecret())).toEqual([400, ''])
  expect(said).toHaveBeenCalledWith(expect.stringMatching(/^Refused \(SIGNATURE_MISMATCH\): /))
  said.mockRestore()
  expect(kept).toEqual([JSON.parse(BODY)])
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function hangUp(port: number): Promise<void> {
  const socket = connect(port, 'localhost')
  await once(socket, 'connect')
  socket.write('POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
  await delay(100)
  socket.destroy()
  await delay(200)
}

async function listening(port: number): Promise<void> {
  for (const deadline = performance.now() + 20_000; performance.now() < deadline; await delay(50)) {
    if (
      await fetch(`http://localhost:${port}`).then(
        () => true,
        () => false,
      )
    )
      return
  }
  throw new Error('The receiver of the guide does not listen.')
}
