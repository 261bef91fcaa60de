// Guarantee: what is sent can be verified with the libraries that receivers use, with either secret during a rotation, over the
// bytes that are stored; and a receiver that has another secret cannot verify it.
import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { newWebhookSecret } from '../merchants/api-keys.ts'
import { signedHeaders } from './signature.ts'

// Spaces and escapes that a parser and a printer would not give back.
const BODY = '{ "id":"evt_1",  "name": "T\\u00e9 – 茶", "amount":40.00 }'
const at = new Date()
const signed = (secrets = [newWebhookSecret()], body: Buffer | string = BODY, prefix = 'Mintmark') => ({
  secrets: secrets.map((one) => one.reveal()),
  headers: signedHeaders({ id: 'evt_1', deliveryId: 'whd_1', body, secrets, at, prefix }),
})

describe.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('%s', (_name, Webhook) => {
  const verify = (key: string | undefined, headers: Record<string, string>, body = BODY) =>
    new Webhook(key ?? '').verify(body, headers)

  test('verifies what is signed, over its bytes', () => {
    const { secrets, headers } = signed()
    expect(verify(secrets[0], headers)).toEqual(JSON.parse(BODY))
    expect(() => verify(secrets[0], headers, JSON.stringify(JSON.parse(BODY)))).toThrow('No matching signature')
  })

  test('verifies with either secret during a rotation, and with no other', () => {
    const { secrets, headers } = signed([newWebhookSecret(), newWebhookSecret()])
    for (const key of secrets) expect(verify(key, headers)).toBeDefined()
    expect(() => verify(newWebhookSecret().reveal(), headers)).toThrow('No matching signature')
  })

  test('another event or time has another signature', () => {
    const { secrets, headers } = signed()
    expect(() => verify(secrets[0], { ...headers, 'webhook-id': 'evt_2' })).toThrow()
    const later = String(Number(headers['webhook-timestamp']) + 1)
    expect(() => verify(secrets[0], { ...headers, 'webhook-timestamp': later })).toThrow()
  })
})

/** As receivers in the field do it: the text is the key, the time is in the header. */
function verifyOlder(key: string, header: string, body: string): boolean {
  const parts = header.split(',').map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1]
  const expected = createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
  return parts.some(([name, value]) => name === 'v1' && value === expected)
}

test('the older form is signed with the whole text of each secret, under names with the prefix', () => {
  const { secrets, headers } = signed([newWebhookSecret(), newWebhookSecret()], BODY, 'Acme')
  const header = headers['Acme-Signature'] ?? ''
  expect(header).toMatch(/^t=\d{10},v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  for (const key of secrets) expect(verifyOlder(key, header, BODY)).toBe(true)
  expect(verifyOlder(newWebhookSecret().reveal(), header, BODY)).toBe(false)
  expect(headers).toMatchObject({
    'Acme-Event-Id': 'evt_1',
    'Acme-Delivery-Id': 'whd_1',
    'webhook-delivery-id': 'whd_1',
  })
  expect(signed([newWebhookSecret()]).headers['Mintmark-Signature']).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/)
})

test('text and its bytes are signed alike', () => {
  const secrets = [newWebhookSecret()]
  expect(signed(secrets, Buffer.from(BODY)).headers).toEqual(signed(secrets).headers)
})

test('the headers name program and version, and hold no secret', () => {
  const { secrets, headers } = signed()
  expect(headers['user-agent']).toMatch(/^Mintmark\/\d+\.\d+\.\d+$/)
  expect(JSON.stringify(headers)).not.toContain(secrets[0]?.slice('whsec_'.length))
})
