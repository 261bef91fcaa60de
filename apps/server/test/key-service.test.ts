// Guarantee: with keys in a key management service the deployment works as with a file, and while that service is away it says so:
// nothing is taken for broken, nothing is stored in the clear, and all goes on when it is back.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKeys } from '../src/compose/keys.ts'
import { proveKeys } from '../src/keys/node.ts'
import type { StandIn } from '../src/keys/testing/stand-in.ts'
import { refusal, startVaultStandIn, VAULT_KEY_ID, VAULT_TOKEN } from '../src/keys/testing/vault-stand-in.ts'
import { cardholder } from './cardholder.ts'
import { approvedSession, CARDS, createSession, dbRow, paymentResult } from './flows.ts'
import { keepLog } from './logged.ts'
import { PATIENT, startTestService, TEST_ROOT_KEY, type TestService } from './service.ts'

let vault: StandIn
let service: TestService
let folder: string
let env: Record<string, string>
const { log, lines } = keepLog('info')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mintmark-vault-'))
  vault = await startVaultStandIn()
  await writeFile(join(folder, 'token'), VAULT_TOKEN)
  env = { ...PATIENT, VAULT_ADDR: vault.url, VAULT_TOKEN_FILE: join(folder, 'token') }
  service = await startTestService({ env, log })
})
afterAll(async () => {
  await service?.close()
  await vault?.close()
  await rm(folder, { recursive: true })
})

test('a deployment moves from its key file to the service', async () => {
  const { merchant, app } = service
  const before = await approvedSession(merchant)
  await app.keys.addKey(VAULT_KEY_ID)
  await app.keys.rotateKey(VAULT_KEY_ID)
  for (const place of app.sealedPlaces)
    expect(await app.rewrap(place, 'local:1', () => undefined)).toMatchObject({ broken: 0 })
  await app.keys.retireKey('local:1', app.sealedPlaces)
  const shown = await paymentResult(merchant, before.id)
  expect(shown.body.transactions[0].line_items[0].token).toBe(before.item.token)
  await approvedSession(merchant)
})

test('a credential that is read five times costs one call at most', async () => {
  const { id } = await approvedSession(service.merchant)
  vault.calls.length = 0
  for (let count = 0; count < 5; count += 1) expect((await paymentResult(service.merchant, id)).status).toBe(200)
  expect(vault.calls.length).toBeLessThanOrEqual(1)
})

test('while the service is away: 503, nothing stored, and all is well afterwards', async () => {
  const { merchant } = service
  const { id, item } = await approvedSession(merchant)
  // Another process has no data key in memory.
  const other = await startTestService({ env, log, database: service.database })
  const records = async () => (await dbRow(service, 'select count(*)::int as count from vault_records')).count
  const stored = await records()
  lines.length = 0
  vault.trouble(refusal(503, 'Vault is sealed'), 1_000)
  const read = await fetch(`${other.apiUrl}/v1/sessions/${id}/payment-result`, {
    headers: { authorization: `Bearer ${merchant.secretKey}` },
  })
  expect(read.status).toBe(503)
  expect(read.headers.get('retry-after')).toMatch(/^\d+$/)
  const { session_token } = await createSession(merchant)
  expect((await cardholder(service, session_token).enterCard(CARDS.success)).status).toBe(503)
  expect(await records()).toBe(stored)
  // It starts all the same: it may come before the service it needs.
  await proveKeys({ ring: (await openAnother()).ring, log })
  expect(lines.join()).toContain('key_unavailable')
  expect(lines.join()).toContain('HTTP_503')

  vault.trouble('cut', 0)
  expect((await cardholder(service, session_token).pay(CARDS.success)).body).toMatchObject({ outcome: 'approved' })
  const again = await fetch(`${other.apiUrl}/v1/sessions/${id}/payment-result`, {
    headers: { authorization: `Bearer ${merchant.secretKey}` },
  })
  const body = (await again.json()) as { transactions: [{ line_items: [{ token: string }] }] }
  expect(body.transactions[0].line_items[0].token).toBe(item.token)
  expect(lines.join()).not.toContain(VAULT_TOKEN)
  await other.close()
})

const openAnother = () => {
  const { config, pool } = service
  return openKeys({ config, pool, log, rootKey: TEST_ROOT_KEY, rootKeyFile: join(folder, 'root.key') })
}
