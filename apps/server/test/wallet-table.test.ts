// Guarantee: no route of the wallet API serves a caller who may not ask, none tells of another merchant's things, and
// what its published description says is well-formed and true.
import { WALLET_ERROR_CODES } from '@mintmark/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { walletEnvelope } from '../src/hosts/wallet-api/envelope.ts'
import { describeRouteTable } from '../src/http/testing/table-walk.ts'
import { createSession } from './flows.ts'
import { openApiProblems } from './openapi-check.ts'
import { testTruthOf } from './published-description.ts'
import { startTestService } from './service.ts'
import { walletExamples } from './wallet-examples.ts'

// Before the tests are collected: the walk makes one test a row, and the rows come with the service.
const service = await startTestService({ env: { RATE_LIMIT_FAILED_AUTHENTICATION: '1000000' } })
const { merchant } = service
const other = await service.addMerchant()
afterAll(() => service.close())

describeRouteTable({
  name: 'wallet API',
  routes: service.app.walletRoutes,
  envelope: walletEnvelope(() => service.clock.now()),
  start: async () => ({
    baseUrl: service.walletUrl,
    close: async () => {},
    credentials: {
      wallet_key: {
        working: merchant.wallet.key,
        refused: {
          'a wrong key': `${merchant.wallet.key.slice(0, -4)}0000`,
          'a key of the other environment': merchant.wallet.key.replace('test', 'live'),
          'a key with the scheme of the main API': `Bearer ${merchant.wallet.key}`,
          'a secret key': merchant.secretKey,
          'a publishable key': merchant.publishableKey,
          'a session token': (await createSession(merchant)).session_token,
          'two keys': `${merchant.wallet.key}, ${other.wallet.key}`,
          'an empty one': '',
        },
      },
    },
    examples: await walletExamples(service, { merchant, other }),
  }),
})

test('the key goes in its own header: as a bearer it is none', async () => {
  const headers = { authorization: `Bearer ${merchant.wallet.key}`, 'api-key': '' }
  const answer = await merchant.wallet.send('GET', '/v1/customers', undefined, headers)
  expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED'])
})

test('a revoked key is refused', async () => {
  const { key, keyId } = await service.app.merchants.createKey(merchant.merchantId, 'wallet')
  const list = () => merchant.wallet.send('GET', '/v1/customers', undefined, { 'api-key': key.reveal() })
  expect((await list()).status).toBe(200)
  await service.app.merchants.revokeKey(keyId)
  expect((await list()).status).toBe(401)
})

test('every change takes a key, and says so', () => {
  const changes = service.app.walletRoutes.filter(({ method }) => method !== 'GET')
  expect(changes.filter(({ idempotencyKey }) => idempotencyKey === undefined)).toEqual([])
  const reads = service.app.walletRoutes.filter(({ method }) => method === 'GET')
  expect(reads.filter(({ idempotencyKey }) => idempotencyKey !== undefined)).toEqual([])
})

describe('the published description', () => {
  const read = async () => (await merchant.wallet.get('/openapi.json')).body

  test('is well-formed OpenAPI 3.1, and is shown', async () => {
    expect(await openApiProblems(await read())).toEqual([])
    const page = await fetch(`${service.walletUrl}/docs`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Mintmark Wallet API')])
  })

  testTruthOf(read, { rows: service.app.walletRoutes, codes: WALLET_ERROR_CODES, badInput: 'VALIDATION_ERROR' })
})
