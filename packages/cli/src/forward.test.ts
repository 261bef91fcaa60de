// Guarantee: what `listen` sends has the headers that a delivery of the service has, with the same values.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { secret } from '../../../apps/server/src/platform/secret.ts'
import { signedHeaders } from '../../../apps/server/src/webhooks/signature.ts'
import { deliveryHeaders } from './forward.ts'
import { oneLine } from './terminal.ts'

test('the headers are those of the service', () => {
  const key = `whsec_${randomBytes(32).toString('base64')}`
  const [body, at] = ['{"id":"evt_1","name":"Té – 茶"}', new Date()]
  const ours = deliveryHeaders(body, 'evt_1', key, at)
  const deliveryId = ours['webhook-delivery-id'] ?? ''
  const theirs = signedHeaders({ id: 'evt_1', deliveryId, body, secrets: [secret(key)], at, prefix: 'Mintmark' })
  expect({ ...ours, 'user-agent': '' }).toEqual({ ...theirs, 'user-agent': '' })
  expect(`${theirs['user-agent']} (listen)`).toBe(ours['user-agent'])
})

test('what a receiver says cannot command the terminal', () => {
  expect(oneLine('a\u001b[2Jb\r\n\u0007c\u202ed\u2028e')).toBe('a [2Jb c d e')
  expect(oneLine('x'.repeat(500))).toHaveLength(121)
})
