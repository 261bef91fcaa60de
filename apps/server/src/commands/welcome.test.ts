import { afterEach, expect, test, vi } from 'vitest'
import { OPERATOR } from '../../test/service.ts'
import { readConfig } from '../config.ts'
import { printWelcome } from './welcome.ts'

afterEach(() => vi.restoreAllMocks())

// Guarantee: an operator who starts a service that lets webhooks reach this machine is told so, whichever role it is.

function welcome(env: Record<string, string>, role: 'all' | 'worker'): string {
  const print = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  printWelcome({
    config: readConfig(env),
    role,
    dev: null,
    shopUrl: null,
    server: 'PostgreSQL 18',
    mail: 'off',
    millis: 1,
  })
  return String(print.mock.calls.flat())
}

test.each(['all', 'worker'] as const)('%s: webhooks to this machine', (role) => {
  expect(welcome({ WEBHOOK_ALLOW_LOOPBACK: 'on' }, role)).toContain('may go to this machine (WEBHOOK_ALLOW_LOOPBACK)')
})

test('each API has a reference, at its own address', () => {
  expect(welcome({ PORT: '17000' }, 'all')).toMatch(/API reference {2}\S+:17000\/docs\n +\S+:17001\/docs\n/)
})

test('nothing of it without the setting', () => expect(welcome({}, 'all')).not.toContain('WEBHOOK_ALLOW_LOOPBACK'))

const PRODUCTION = {
  ...{ MINTMARK_ENVIRONMENT: 'production', API_URL: 'https://api.pay.example', SURFACE_URL: 'https://pay.example' },
  ...OPERATOR,
  ...{ DATABASE_URL: 'postgres://db/x', ROOT_KEY_FILE: '/x/root.key', NETWORK_ADAPTER: 'simulator' },
}
test.each([
  ['a sandbox', {}, true],
  ['production', PRODUCTION, false],
])('the home of %s is named where something is kept in it', (_name, env, isNamed) => {
  expect(welcome(env, 'worker').includes('  Home  ')).toBe(isNamed)
})
