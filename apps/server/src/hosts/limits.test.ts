import { expect, test } from 'vitest'
import { LIMITS } from './limits.ts'

test('what stands between an attacker and a secret refuses without the store, the rest lets through', () => {
  const refusing = LIMITS.filter(({ withoutStore }) => withoutStore === 'refuse').map(({ name }) => name)
  const passing = LIMITS.filter(({ withoutStore }) => withoutStore === 'pass').map(({ name }) => name)
  expect(refusing).toEqual([
    'vault_entry',
    'agent_link',
    'launch',
    'surface_secret_entry',
    'refused_entries_customer',
    'refused_entries_address',
    'refused_entries_merchant',
    'contact_link',
    'permissions_sign_in',
    'owner_sign_in',
    'owner_mail',
    'console_visit',
    'console_code',
    'console_invite',
    'webhook_request',
  ])
  expect(passing).toEqual([
    'merchant',
    'wallet',
    'shopping',
    'enrollment',
    'enrollment_status',
    'agent',
    'surface',
    'permissions',
    'owner',
    'console',
    'network_message',
    'document',
    'failed_authentication',
  ])
})

test('no two limits share a name, and with it a counter', () => {
  const names = LIMITS.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})
