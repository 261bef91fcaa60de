import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type AgentKitServer, buildRequest, newNonce, type Occasion } from './build.ts'
import { AGENT_KIT, type AgentKitCase, type AgentKitRequest } from './cases.ts'
import { type SendRequest, sendRequest, type WireAnswer } from './send.ts'

export interface AgentKitOptions {
  /** Where the server is, such as https://api.mintmark.example. */
  url: string
  /** An agent that the server knows, with its key (Ed25519), and that nothing else uses meanwhile. */
  keyId: string
  privateKey: KeyObject
  /** What an agent may read. Default: /v1/agents/me. */
  read?: { target: string }
  /** What an agent may send. The body may be one that the server refuses once it knows who asks: nothing is made then. */
  write?: { target: string; body: string }
  send?: SendRequest
}

export interface AgentKitResult {
  name: string
  outcome: 'passed' | 'failed' | 'left_out'
  expected: string
  /** What the server did, such as `401 signature_invalid`. */
  got: string
}

const READ = { target: '/v1/agents/me' }
const WRITE = { target: '/v1/sessions/agent', body: '{}' }
/** The signature was right, but something before or behind it is not: the case would show nothing. */
const NOT_TAKEN = [401, 403, 404, 405]

/** Sends every case, one after the other, and says of each whether the server did what the profile wants. */
export async function runAgentKit(options: AgentKitOptions): Promise<AgentKitResult[]> {
  const { keyId, privateKey, read = READ, write = WRITE, send = sendRequest } = options
  const url = new URL(options.url)
  const anotherKey = generateKeyPairSync('ed25519').privateKey
  const server: AgentKitServer = { url, read, write, keyId, privateKey, anotherKey }
  const ahead = await secondsAhead(server, send)
  const results: AgentKitResult[] = []
  for (const kit of AGENT_KIT) {
    const occasion = { now: seconds() + ahead, nonce: newNonce() }
    results.push(
      isAbout(kit, url) ? await tryCase(kit, server, occasion, send) : { ...named(kit), outcome: 'left_out', got: '' },
    )
  }
  return results
}

/** By how much the server's clock is ahead of this one. */
async function secondsAhead(server: AgentKitServer, send: SendRequest): Promise<number> {
  const { target } = server.read
  const { date } = await send(server.url, {
    method: 'GET',
    target,
    headers: [['Host', server.url.host]],
    body: undefined,
  })
  const theirs = Math.floor(Date.parse(date ?? '') / 1_000)
  return Number.isNaN(theirs) ? 0 : theirs - seconds()
}

async function tryCase(
  kit: AgentKitCase,
  server: AgentKitServer,
  occasion: Occasion,
  send: SendRequest,
): Promise<AgentKitResult> {
  for (const [step, request] of [kit.first, kit].entries()) {
    if (request === undefined) continue
    const got = await answerTo(request, server, occasion, send)
    if (got.isExpected) continue
    return {
      ...named(kit),
      outcome: 'failed',
      got: step === 0 ? `${got.text}, to the first of two requests` : got.text,
    }
  }
  return { ...named(kit), outcome: 'passed', got: kit.expected }
}

async function answerTo(request: AgentKitRequest, server: AgentKitServer, occasion: Occasion, send: SendRequest) {
  let answer: WireAnswer
  try {
    answer = await send(server.url, buildRequest(request, server, occasion))
  } catch (error) {
    return { isExpected: false, text: `no answer: ${error instanceof Error ? error.message : error}` }
  }
  const { reason, components } = detailsOf(answer.body)
  const text = [answer.status, reason, ...components].filter((part) => part !== undefined).join(' ')
  if (request.expected === 'taken')
    return { isExpected: !NOT_TAKEN.includes(answer.status) && answer.status < 500, text }
  const wanted = [...(request.components ?? [])].sort().join()
  const isNamed = wanted === '' || wanted === [...components].sort().join()
  return { isExpected: answer.status === 401 && reason === request.expected && isNamed, text }
}

/** The body is `{ error: { details: { reason, components? } } }`. */
function detailsOf(body: string): { reason: string | undefined; components: readonly string[] } {
  try {
    const { reason, components = [] } = JSON.parse(body).error.details
    const list = Array.isArray(components) ? components : String(components).split(/[ ,]+/)
    return { reason: reason === undefined ? undefined : String(reason), components: list.map(String) }
  } catch {
    return { reason: undefined, components: [] }
  }
}

function isAbout({ needs }: AgentKitCase, url: URL): boolean {
  if (needs === 'the port of the scheme') return url.port === ''
  if (needs === 'letters in the host') return /[a-z]/.test(url.host)
  return true
}

const named = ({ name, expected }: AgentKitCase) => ({ name, expected })
const seconds = () => Math.floor(Date.now() / 1_000)
