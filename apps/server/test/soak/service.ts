import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EVENT_TYPES, type EventType } from '@mintmark/contract'
import { type EmbeddedPostgres, startEmbedded } from '@mintmark/embedded-postgres'
import type { DevFile } from '../../src/commands/dev-file.ts'
import { freePorts, type Program, runProgram, startProgram } from '../processes/spawn.ts'
import { AUTHORITY_CERTIFICATE } from '../receivers/certificates.ts'
import type { Receivers } from './receivers.ts'

/** An account, with calls under its secret key. */
export interface Account {
  merchantId: string
  call(method: string, path: string, body?: object): Promise<Record<string, never>>
  endpoints: { id: string; events: readonly string[] }[]
}

/** The service as an operator runs it: a database, the API in a process, and workers to be started beside it. */
export interface Service {
  database: EmbeddedPostgres
  demo: Account
  startWorker(): Program
  addAccount(name: string): Promise<Account>
  close(): Promise<void>
}

export async function startService(directory: string): Promise<Service> {
  const database = await startEmbedded({ home: join(directory, 'database'), name: 'mintmark' })
  const authority = join(directory, 'authority.pem')
  await writeFile(authority, AUTHORITY_CERTIFICATE)
  const { host, port, user, password, database: name } = database.connection
  const [socket, secret] = [host, password].map(encodeURIComponent)
  const env = {
    DATABASE_URL: `postgres://${user}:${secret}@${socket}:${port}/${name}`,
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    NODE_EXTRA_CA_CERTS: authority,
    DATABASE_POOL_SIZE: '6',
    LOG_LEVEL: 'silent',
  }
  const home = join(directory, 'home')
  const api = startProgram(['serve'], { home, port: await freePorts(), env })
  await api.ready()
  const dev = JSON.parse(await readFile(join(home, 'dev.json'), 'utf8')) as DevFile
  return {
    database,
    demo: accountOf(api.apiUrl, dev.merchant_id, dev.secret_key),
    startWorker: () => startProgram(['worker'], { home, env }),
    async addAccount(name) {
      const words = ['merchant', 'create', '--name', name]
      const { code, output } = await runProgram(words, { home, env: { ...env, LOG_LEVEL: 'silent' } })
      if (code !== 0) throw new Error(output)
      const { merchant_id, secret_key } = JSON.parse(output)
      return accountOf(api.apiUrl, merchant_id, secret_key)
    },
    async close() {
      await api.stop()
      await database.stop()
    },
  }
}

function accountOf(apiUrl: string, merchantId: string, secretKey: string): Account {
  const authorization = `Bearer ${secretKey}`
  return {
    merchantId,
    endpoints: [],
    async call(method, path, body) {
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(apiUrl + path, { method, headers, ...init })
      const answer = await response.json()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
      return answer as Record<string, never>
    },
  }
}

const ENDPOINTS = '/v1/webhook-endpoints'

/** What the second endpoint of each account wants; the others want everything. */
const SOME_KINDS: readonly EventType[] = ['payment.succeeded', 'card.deleted']

/** Endpoints that were verified and enabled as any owner does it: one more than may be sent to at a time. */
export async function addEndpoints(account: Account, receivers: Receivers): Promise<void> {
  for (const events of [EVENT_TYPES, SOME_KINDS, EVENT_TYPES]) {
    const { url, take } = await receivers.start()
    const created = await account.call('POST', ENDPOINTS, { name: 'Soak', url, events })
    const { endpoint, signing_secret: secret } = created as unknown as {
      endpoint: { id: string }
      signing_secret: string
    }
    await account.call('POST', `${ENDPOINTS}/${endpoint.id}/verify`)
    take({ merchantId: account.merchantId, endpointId: endpoint.id, secret })
    await account.call('PATCH', `${ENDPOINTS}/${endpoint.id}`, { enabled: true })
    account.endpoints.push({ id: endpoint.id, events })
  }
}
