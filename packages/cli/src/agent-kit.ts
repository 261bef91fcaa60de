import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { type AgentKitOptions, type AgentKitResult, runAgentKit } from '@mintmark/contract/agent-kit/run'
import { signRequest } from '@mintmark/node'
import { readAccount } from './account.ts'
import { readKey } from './agent/key.ts'
import { Failure } from './failure.ts'
import { oneLine, type Terminal } from './terminal.ts'

interface KitWords {
  url?: URL | undefined
  keyFile?: string | undefined
  keyId?: string | undefined
  read?: string | undefined
  write?: string | undefined
  body?: string | undefined
}

/** A body that is refused once it is known who asks, so that nothing is made by it. */
const WRITE = { target: '/v1/agents/me/keys', body: '{}' }

/** Sends every case of the kit to a server, and says of each what came of it. Throws where one failed. */
export async function agentKit(words: KitWords, terminal: Terminal): Promise<void> {
  const options = words.keyFile === undefined ? await ownAgent(words, terminal) : await namedAgent(words)
  const { read, write = WRITE.target, body = WRITE.body } = words
  const results = await runAgentKit({
    ...options,
    ...(read === undefined ? {} : { read: { target: read } }),
    write: { target: write, body },
  })
  if (terminal.tell === undefined) for (const result of results) terminal.say(lineOf(result, terminal))
  const count = (outcome: AgentKitResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  terminal.tell?.({ results, passed: count('passed'), failed: count('failed'), left_out: count('left_out') })
  terminal.say(`${count('passed')} passed, ${count('failed')} failed, ${count('left_out')} need another address`)
  if (count('failed') > 0) throw new Error('The server does not take and refuse requests as the profile says.')
}

function lineOf({ name, outcome, expected, got }: AgentKitResult, { paint }: Terminal): string {
  if (outcome === 'passed') return `${paint('green', 'passed ')}  ${name}`
  if (outcome === 'left_out') return `${paint('dim', 'left out')} ${name}`
  return `${paint('red', 'failed ')}  ${name}: ${expected} is right, and it was ${oneLine(got)}`
}

type Agent = Pick<AgentKitOptions, 'url' | 'keyId' | 'privateKey'>

async function namedAgent({ url, keyFile = '', keyId }: KitWords): Promise<Agent> {
  if (url === undefined || keyId === undefined) throw new Error('With --key-file, say --url and --key-id as well.')
  const privateKey = await readKey(keyFile)
  if (privateKey === undefined) throw new Failure('FILE_UNUSABLE', `${keyFile} cannot be used (ENOENT).`)
  return { url: url.origin, keyId, privateKey }
}

/** An agent of the sandbox that is running here, linked for this run. */
async function ownAgent({ url }: KitWords, { env }: Terminal): Promise<Agent> {
  if (url !== undefined) throw new Error('With --url, say with --key-file and --key-id which agent signs.')
  const { apiUrl, secretKey } = await readAccount(env)
  const { privateKey } = generateKeyPairSync('ed25519')
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64')
  const request = {
    method: 'POST',
    url: `${apiUrl}/v1/agents/links`,
    body: JSON.stringify({ public_key: publicKey, name: 'Agent kit' }),
  }
  const json = { 'content-type': 'application/json' }
  const asked = await answerOf(request.url, {
    ...request,
    headers: { ...json, ...signRequest(request, { privateKey }) },
  })
  const approval = `${apiUrl}/v1/test_helpers/agent_links/${asked.link_id}/approve`
  const headers = { ...json, authorization: `Bearer ${secretKey}` }
  const { agent_id: keyId = '' } = await answerOf(approval, { method: 'POST', headers, body: '{"owner":"agent-kit"}' })
  return { url: apiUrl, keyId, privateKey }
}

async function answerOf(url: string, init: RequestInit): Promise<Record<string, string>> {
  const response = await fetch(url, init).catch((cause: unknown) => {
    throw new Error(`Nothing answers at ${new URL(url).origin}. Start a sandbox with "npm start".`, { cause })
  })
  const body = await response.json()
  if (!response.ok) throw new Error(`${response.status}: ${oneLine(String(body?.error?.message))}`)
  return body
}
