import { randomUUID } from 'node:crypto'
import { EVENT_TYPES } from '@mintmark/node'
import type { Inbox } from './inbox.ts'

export interface Account {
  apiUrl: string
  secretKey: string
}

interface Endpoint {
  id: string
  url: string
  state: string
  verified: boolean
}

/** The service said no. `details` names the fields. */
class Refused extends Error {
  override readonly name = 'Refused'
}

/**
 * Registers this receiver with the service: create, verify, enable. The secret is shown once, so it is kept before
 * anything else happens; an endpoint whose secret is lost is deleted and made anew. Returns the state of the endpoint.
 */
export async function register(account: Account, inbox: Inbox, url: string): Promise<string> {
  const call = caller(account)
  const { data } = await call<{ data: Endpoint[] }>('GET', '/v1/webhook-endpoints')
  const known = data.find((endpoint) => endpoint.url === url)
  const isOurs = known !== undefined && known.id === inbox.setting('endpoint') && secretsOf(inbox).length > 0
  if (known !== undefined && !isOurs) await call('DELETE', `/v1/webhook-endpoints/${known.id}`)
  const endpoint = isOurs ? known : await create(call, inbox, url)
  const path = `/v1/webhook-endpoints/${endpoint.id}`
  if (!endpoint.verified) await call('POST', `${path}/verify`)
  return (await call<Endpoint>('PATCH', path, { enabled: true })).state
}

/** Those of the endpoint that this receiver registered. */
export function secretsOf(inbox: Pick<Inbox, 'setting'>): string[] {
  const secret = inbox.setting('signing_secret')
  return secret === undefined ? [] : [secret]
}

type Call = ReturnType<typeof caller>

async function create(call: Call, inbox: Inbox, url: string): Promise<Endpoint> {
  const body = { name: 'Example receiver', url, events: EVENT_TYPES }
  const created = await call<{ endpoint: Endpoint; signing_secret: string }>('POST', '/v1/webhook-endpoints', body)
  inbox.saveSetting('signing_secret', created.signing_secret)
  inbox.saveSetting('endpoint', created.endpoint.id)
  return created.endpoint
}

function caller({ apiUrl, secretKey }: Account) {
  return async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(apiUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${secretKey}`,
        'idempotency-key': randomUUID(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    const answer = (await response.json()) as T & { error?: { code: string; message: string; details?: object } }
    const { error } = answer
    if (!response.ok)
      throw new Refused(`${method} ${path}: ${error?.code} ${error?.message} ${JSON.stringify(error?.details ?? {})}`)
    return answer
  }
}
