import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { signRequest } from '@mintmark/node'
import { expect } from 'vitest'
import { type Answer, call } from './service.ts'

interface SentBy {
  keyId?: string
  now?: Date
  /** Beside those of the signature. */
  headers?: Record<string, string>
}

/** An agent as its software is: a key pair, and requests that it signs. */
export interface TestAgent {
  privateKey: KeyObject
  /** SPKI in base64, as it is sent to be linked. */
  publicKey: string
  /** Null: its key signs by its thumbprint. */
  keyId: string | undefined
  send(method: string, path: string, body?: unknown, by?: SentBy): Promise<Answer>
}

export function newAgent(
  service: Pick<Deployed, 'apiUrl'>,
  keyId?: string,
  pair = generateKeyPairSync('ed25519'),
): TestAgent {
  const { privateKey } = pair
  return {
    privateKey,
    publicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64'),
    keyId,
    async send(method, path, body, by = {}) {
      const url = service.apiUrl + path
      const text = body === undefined ? undefined : JSON.stringify(body)
      const name = by.keyId ?? keyId
      const headers = signRequest(
        { method, url, ...(text === undefined ? {} : { body: text }) },
        {
          privateKey,
          ...(name === undefined ? {} : { keyId: name }),
          ...(by.now === undefined ? {} : { now: by.now }),
        },
      )
      const all = { ...headers, ...by.headers }
      const content = text === undefined ? {} : { body: text, headers: { ...all, 'content-type': 'application/json' } }
      return call(url, { method, headers: all, ...content })
    },
  }
}

/** The link of a new agent, which no owner has approved. */
export async function askForLink(agent: TestAgent, changes: object = {}): Promise<string> {
  const asked = await agent.send('POST', '/v1/agents/links', {
    public_key: agent.publicKey,
    name: 'Pantry',
    ...changes,
  })
  expect(asked).toMatchObject({ status: 201, body: { link_id: expect.stringMatching(/^lk_/) } })
  return asked.body.link_id
}

/** What the helpers here need of a service: where agents call it, and a merchant that plays their owners. */
export interface Deployed {
  apiUrl: string
  merchant: { post(path: string, body?: unknown): Promise<Answer> }
}

export const approveLink = (service: Deployed, linkId: string, body: object = {}) =>
  service.merchant.post(`/v1/test_helpers/agent_links/${linkId}/approve`, body)

/** An agent that an owner has linked, with its id. */
export async function linkedAgent(
  service: Deployed,
  body: object = {},
  asked: object = {},
): Promise<TestAgent & { agentId: string }> {
  const agent = newAgent(service)
  const approved = await approveLink(service, await askForLink(agent, asked), body)
  expect(approved).toMatchObject({ status: 200, body: { status: 'approved' } })
  const agentId: string = approved.body.agent_id
  return {
    ...newAgent(service, agentId, { privateKey: agent.privateKey, publicKey: createPublicKey(agent.privateKey) }),
    agentId,
  }
}

/** Limits that stop nothing. */
export const WIDE = {
  ...{ currency: 'USD', charge: null, day: null, month: null, open: null },
  ...{ merchants: null, hours: null, ask_above: null },
}

/** The same agent, as it calls another node. */
export function atNode(node: Pick<Deployed, 'apiUrl'>, { agentId, privateKey }: LinkedAgent): LinkedAgent {
  return { ...newAgent(node, agentId, { privateKey, publicKey: privateKey }), agentId }
}

/** As its owner answers what it asks beyond a limit. */
export const decideFor = (service: Deployed, escalationId: string, decision: 'allow' | 'deny') =>
  service.merchant.post(`/v1/test_helpers/agent_escalations/${escalationId}/decide`, { decision })

export type LinkedAgent = Awaited<ReturnType<typeof linkedAgent>>

export const TEA = {
  ...{ total_amount: '40.00', currency: 'USD' },
  ...{ merchant_name: 'Tea House', merchant_url: 'https://tea.example', merchant_country: 'US' },
  products: [{ description: 'Green tea', unit_price: '20.00', quantity: 2 }],
}

export const askFor = (agent: TestAgent, changes: object = {}) =>
  agent.send('POST', '/v1/sessions/agent', { ...TEA, ...changes })

export const resultOf = (agent: TestAgent, sessionId: string) =>
  agent.send('GET', `/v1/sessions/agent/${sessionId}/payment-result`)

/** As its owner does it. */
export const completeFor = (service: Deployed, sessionId: string, body: object = {}) =>
  service.merchant.post(`/v1/test_helpers/sessions/${sessionId}/complete`, body)

/** A mandate that an agent's owner has approved: 50.00 a month at the tea house, unless it says otherwise. */
export async function mandateOf(service: Deployed, agent: TestAgent, changes: object = {}): Promise<string> {
  const setup = { recurring_frequency: 'monthly' }
  const asked = await askFor(agent, { total_amount: '50.00', mandate_setup: setup, ...changes })
  expect(asked).toMatchObject({ status: 201, body: { authorizeOnly: true } })
  const done = await completeFor(service, asked.body.session_id)
  expect(done).toMatchObject({ status: 200, body: { status: 'completed' } })
  return asked.body.mandate_id
}
