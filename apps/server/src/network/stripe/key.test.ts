// Guarantee: a sandbox takes keys of test mode only, and production of live mode only; what is wrong is said without a
// letter of the key.
import { expect, test } from 'vitest'
import { secret } from '../../platform/secret.ts'
import { checkKey } from './key.ts'

test.each([
  ['sk_test_abc123', 'sandbox'],
  ['rk_test_abc123', 'sandbox'],
  ['sk_live_abc123', 'production'],
  ['rk_live_abc123', 'production'],
] as const)('%s is taken by %s', (key, environment) => expect(() => checkKey(secret(key), environment)).not.toThrow())

test.each([
  ['sk_live_abc123', 'sandbox', 'live mode; sandbox'],
  ['rk_live_abc123', 'sandbox', 'live mode; sandbox'],
  ['sk_test_abc123', 'production', 'test mode; production'],
  ['pk_test_abc123', 'sandbox', 'secret or a restricted'],
  ['whsec_abc123', 'sandbox', 'secret or a restricted'],
  ['sk_test_abc 123', 'sandbox', 'secret or a restricted'],
  ['', 'production', 'secret or a restricted'],
] as const)('"%s" is not taken by %s: %s', (key, environment, words) => {
  const check = () => checkKey(secret(key), environment)
  expect(check).toThrow(words)
  expect(check).not.toThrow('abc')
})
