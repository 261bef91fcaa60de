import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ERROR_CODES, EVENT_TYPES } from '@mintmark/contract'
import { SURFACE_ERROR_CODES } from '@mintmark/contract/surface'
import { ChargeResponse } from '@mintmark/contract/wire/charges'
import { EVENT_KINDS, EVENT_RESOURCES } from '@mintmark/contract/wire/events'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { CHARGE_TRANSITIONS } from '../apps/server/src/charges/states.ts'
import { PURCHASE_TRANSITIONS } from '../apps/server/src/checkout/purchases/states.ts'
import { TABLES } from '../apps/server/src/db/tables.ts'
import { bodyOf } from '../apps/server/src/events/service.ts'
import { MANDATE_TRANSITIONS } from '../apps/server/src/mandates/states.ts'
import { ALARMS } from '../apps/server/src/platform/log.ts'
import { SESSION_TRANSITIONS, SETUP_TRANSITIONS } from '../apps/server/src/sessions/states.ts'
import { CART_TRANSITIONS } from '../apps/server/src/wallets/carts/states.ts'
import { WALLET_CUSTOMER_TRANSITIONS } from '../apps/server/src/wallets/customers/states.ts'
import { DELIVERY_TRANSITIONS } from '../apps/server/src/webhooks/delivery/states.ts'
import { ENDPOINT_TRANSITIONS } from '../apps/server/src/webhooks/states.ts'
import { fieldsOf } from './docs/events-page.ts'
import { generatedPages } from './docs/pages.ts'
import { KEPT } from './docs/retention-page.ts'
import { bareRoutes } from './docs/routes.ts'
import {
  CART_MOVES,
  CHARGE_MOVES,
  DELIVERY_MOVES,
  ENDPOINT_MOVES,
  MANDATE_MOVES,
  PURCHASE_MOVES,
  SESSION_MOVES,
  SETUP_MOVES,
  WALLET_CUSTOMER_MOVES,
} from './docs/state-texts.ts'
import { movesOf } from './docs/states-page.ts'

const ROOT = join(import.meta.dirname, '..')

describe('what is made from code is up to date (npm run docs writes it)', async () => {
  test.each(await generatedPages())('$path', async ({ path, text }) => {
    expect(await readFile(join(ROOT, path), 'utf8').catch(() => 'missing')).toBe(text)
  })
})

describe('what types cannot compare', () => {
  test.each([
    ['session', SESSION_TRANSITIONS, SESSION_MOVES],
    ['setup', SETUP_TRANSITIONS, SETUP_MOVES],
    ['charge', CHARGE_TRANSITIONS, CHARGE_MOVES],
    ['purchase', PURCHASE_TRANSITIONS, PURCHASE_MOVES],
    ['mandate', MANDATE_TRANSITIONS, MANDATE_MOVES],
    ['delivery', DELIVERY_TRANSITIONS, DELIVERY_MOVES],
    ['endpoint', ENDPOINT_TRANSITIONS, ENDPOINT_MOVES],
    ['cart', CART_TRANSITIONS, CART_MOVES],
    ['wallet customer', WALLET_CUSTOMER_TRANSITIONS, WALLET_CUSTOMER_MOVES],
  ])('every move of a %s is explained, and no other', (_name, transitions, texts) => {
    expect(Object.keys(texts).sort()).toEqual(movesOf(transitions).sort())
  })

  test('what answers have beyond the words of the contract is said where they are described, and in the guides', async () => {
    expect(ChargeResponse.properties.status).toHaveProperty('description', expect.stringContaining('`completed`'))
    expect(await said('mandates')).toContain('(`completed` once it is reported)')
    expect(await said('mandates')).toContain('`agentId` is null')
    expect(await said('deliveries')).toContain('How a delivery stands is its `state`')
  })

  test('of every call that changes something the guide says what happens when it is sent again', async () => {
    const guide = await readFile(join(ROOT, 'docs/guides/idempotency.md'), 'utf8')
    const [, section = ''] = /^## Which calls may be repeated\n([\s\S]*?)(?=^## )/m.exec(guide) ?? []
    const named = [...section.matchAll(/`((?:POST|PATCH|DELETE) [^`]+)`/g)].map(([, call]) => call)
    const changing = bareRoutes().api.filter(({ method, environment }) => method !== 'GET' && environment !== 'sandbox')
    const calls = changing.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, '{id}')}`)
    expect([...new Set(named)].sort()).toEqual(calls.sort())
  })

  test('the guide names every code that is repeated, or is not, against what its status says', async () => {
    const guide = await readFile(join(ROOT, 'docs/guides/idempotency.md'), 'utf8')
    const [, table = ''] = /^## Three kinds of answer\n([\s\S]*?)(?=^## )/m.exec(guide) ?? []
    const named = [...table.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code]) => code)
    const ofPages: readonly string[] = SURFACE_ERROR_CODES
    const against = Object.entries(ERROR_CODES).filter(([code, { status, retryable }]) => {
      const isOfPage = ofPages.includes(code) && status < 429
      return retryable ? status < 500 && !isOfPage : status === 429 || (status >= 500 && status !== 501)
    })
    expect([...new Set(named)].sort()).toEqual(against.map(([code]) => code).sort())
  })

  test('operators read of every alarm, and of no other', async () => {
    const guide = await readFile(join(ROOT, 'docs/guides/self-hosting.md'), 'utf8')
    const [, section = ''] = /^## Alarms\n([\s\S]*?)(?=^## )/m.exec(guide) ?? []
    expect([...section.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name)).toEqual(['alarm', ...ALARMS])
  })

  test('the environment is read in one place, so every variable has its row on the configuration page', async () => {
    const readers: string[] = []
    for await (const file of glob('apps/server/src/**/*.ts', { cwd: ROOT })) {
      if (file.endsWith('.test.ts') || file.includes('/testing/')) continue
      if (/\bprocess\.env\b/.test(await readFile(join(ROOT, file), 'utf8'))) readers.push(file)
    }
    expect(readers).toEqual(['apps/server/src/main.ts'])
  })

  test('every table says how long its rows are kept, and no other', () => {
    expect(Object.keys(KEPT).sort()).toEqual(Object.keys(TABLES).sort())
  })

  test.each(EVENT_TYPES)('the example of %s is of its schema, and the feed gives its fields in this order', (type) => {
    const { schema, example, data } = EVENT_KINDS[type]
    expect(Value.Errors(schema, example)).toEqual([])
    expect([...Object.keys(example), 'test']).toEqual(Object.keys(schema.properties))
    expect(Object.keys(example.data)).toEqual(Object.keys(data.properties))
    const { id, type: _, schema_version, occurred_at, environment, account_id, resource } = example
    const columns = { eventId: id, eventType: type, schemaVersion: schema_version, environment, merchantId: account_id }
    const { type: resourceType, id: resourceId, version: resourceVersion } = resource
    const row = { ...columns, resourceType, resourceId, resourceVersion, eventData: JSON.stringify(example.data) }
    expect(bodyOf({ ...row, occurredAt: new Date(occurred_at) })).toBe(JSON.stringify(example))
  })

  test('kinds about one resource have the same fields: the page shows them once', () => {
    for (const resource of EVENT_RESOURCES) {
      const kinds = Object.values(EVENT_KINDS).filter((kind) => kind.resource === resource)
      const texts = kinds.map(({ data }) => JSON.stringify(fieldsOf(data)))
      expect(new Set(texts).size, resource).toBe(1)
    }
  })
})

const said = (guide: string) => readFile(join(ROOT, `docs/guides/${guide}.md`), 'utf8')
