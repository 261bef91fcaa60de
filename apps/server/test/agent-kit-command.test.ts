// Guarantee: `mintmark agent-kit` tells a server that keeps to the profile from one that does not, in a sandbox without a word, and elsewhere
// with a key of its user's alone.
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentKit } from '../../../packages/cli/src/agent-kit.ts'
import { linkedAgent } from './agents.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startTestService()
  folder = await mkdtemp(join(tmpdir(), 'mintmark-kit-'))
})
afterAll(async () => {
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

/** What the command says, and how it ends. */
async function run(words: Parameters<typeof agentKit>[0]) {
  const lines: string[] = []
  const env = { MINTMARK_API_URL: service.apiUrl, MINTMARK_SECRET_KEY: service.merchant.secretKey }
  const terminal = { env, say: (line: string) => void lines.push(line), paint: (_style: string, text: string) => text }
  const problem = await agentKit(words, { ...terminal, stopped: new AbortController().signal }).then(
    () => null,
    (error: Error) => error.message,
  )
  return { lines, problem }
}

async function keyFile(name: string, pem: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, pem, { mode: 0o600 })
  return path
}

const keyOf = (kind: 'ed25519' | 'ed448') =>
  String(generateKeyPairSync(kind as 'ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))

async function openedTo(mode: number): Promise<string> {
  const path = await keyFile(`${mode}.pem`, keyOf('ed25519'))
  await chmod(path, mode)
  return path
}

async function linkToKey(): Promise<string> {
  const path = join(folder, 'link.pem')
  await symlink(await keyFile('linked.pem', keyOf('ed25519')), path)
  return path
}

async function pipe(): Promise<string> {
  const path = join(folder, 'pipe.pem')
  await promisify(execFile)('mkfifo', ['-m', '600', path])
  return path
}

test('a sandbox, without a word', async () => {
  const { lines, problem } = await run({})
  expect(problem).toBeNull()
  expect(lines.at(-1)).toMatch(/^\d{2,3} passed, 0 failed, \d need another address$/)
})

test('a server, with the key of an agent that it knows', async () => {
  const { agentId, privateKey } = await linkedAgent(service)
  const file = await keyFile('agent.pem', String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
  const { problem } = await run({ url: new URL(service.apiUrl), keyFile: file, keyId: agentId })
  expect(problem).toBeNull()
})

test('a server that takes everything fails, and each line says what was right', async () => {
  const server = createServer((request, response) => {
    request.resume()
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { privateKey } = generateKeyPairSync('ed25519')
    const file = await keyFile('any.pem', String(privateKey.export({ format: 'pem', type: 'pkcs8' })))
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const { lines, problem } = await run({ url, keyFile: file, keyId: 'aa_any' })
    expect(problem).toBe('The server does not take and refuse requests as the profile says.')
    expect(lines.filter((line) => line.startsWith('failed ')).length).toBeGreaterThan(50)
    expect(lines.join('\n')).toContain('nonce_replayed is right, and it was 200')
  } finally {
    server.close()
  }
})

test.each([
  ['a key without its name', () => keyFile('a.pem', ''), undefined, '--key-id'],
  ['a file that is no key', () => keyFile('b.pem', 'text'), 'aa_1', 'is no private key in PEM'],
  ['a key of another kind', () => keyFile('c.pem', keyOf('ed448')), 'aa_1', 'is no key of Ed25519'],
  ['a file that is not there', async () => join(folder, 'none'), 'aa_1', 'ENOENT'],
  ['a file that its group can read', () => openedTo(0o640), 'aa_1', 'Others can read or change'],
  ['a file that others can change', () => openedTo(0o602), 'aa_1', 'chmod 600'],
  ['a link to a good file', linkToKey, 'aa_1', 'it is a link to another file'],
  ['a pipe, without waiting for it', pipe, 'aa_1', 'it is no file'],
  ['a folder', async () => mkdtemp(join(folder, 'folder-')), 'aa_1', 'it is no file'],
])('%s is said to be one', async (_what, file, keyId, words) => {
  const path = await file()
  const { problem } = await run({ url: new URL(service.apiUrl), keyFile: path, keyId })
  expect(problem).toContain(words)
  if (keyId !== undefined) expect(problem).toContain(path)
})
