// Guarantee: what has a name has one that can be read. A name of which nothing is seen is refused wherever a person would
// read it, in every request of every host, by the kinds of characters that Unicode knows and not by a list of some.
import { brandedNames } from '@mintmark/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RouteTableDeps, routeTables } from '../src/hosts/routes.ts'
import { addressBody, createCustomer, customerBody } from '../src/wallets/testing/customers.ts'
import { askFor, type LinkedAgent, linkedAgent, newAgent, TEA } from './agents.ts'
import { custom, inCustom } from './flows.ts'
import { fromPage } from './owners.ts'
import { type Answer, sessionBody, startTestService, type TestService } from './service.ts'

let service: TestService
let agent: LinkedAgent
beforeAll(async () => {
  service = await startTestService({ env: { RATE_LIMIT_AGENT_LINK: '1000000' } })
  agent = await linkedAgent(service)
})
afterAll(() => service.close())

/** By what they are. Each is sent alone and doubled, and none is refused as a control character would be. */
const NOTHING = {
  'a joiner': '\u200d',
  'a non-joiner': '\u200c',
  'a soft hyphen': '\u00ad',
  'a grapheme joiner': '\u034f',
  'an inherent vowel': '\u17b4',
  'a variation selector': '\ufe0f',
  'a blank of Braille': '\u2800',
  'a null notehead': '\u{1d159}',
  'an object that is not there': '\ufffc',
  'a mark without a letter': '\u0301',
  'a character for private use': '\ue000',
  'one that is not assigned': '\u0378',
  'a noncharacter': '\uffff',
}
const wallet = () => service.merchant.wallet
const products = (description: string) => ({ products: [{ ...TEA.products[0], description }] })

/** Where a person reads the text, and how it is sent there. */
const PLACES: [field: string, send: (text: string) => Promise<Answer>][] = [
  [
    'purchase_context.custom.merchant_details.name',
    (name) => service.merchant.post('/v1/sessions', sessionBody(inCustom({ name }))),
  ],
  [
    'purchase_context.custom.product_details[0].description',
    (description) => service.merchant.post('/v1/sessions', sessionBody(inCustom({}, { description }))),
  ],
  ['merchant_name', (name) => askFor(agent, { merchant_name: name })],
  ['products[0].description', (text) => askFor(agent, products(text))],
  ['name', (name) => askToLink({ name })],
  ['platform', (platform) => askToLink({ platform })],
  ['description', (description) => askToLink({ description })],
  ['name', (name) => agent.send('PATCH', '/v1/agents/me', { name })],
  ['name', (name) => fromPage(service, '/api/owners/options', { name })],
  ['first_name', (name) => wallet().post('/v1/customers', customerBody({ first_name: name }))],
  ['last_name', (name) => wallet().post('/v1/customers', customerBody({ last_name: name }))],
  ['name', (name) => addTo({ name })],
  ['city', (city) => addTo({ city })],
]

function askToLink(changes: object) {
  const asking = newAgent(service)
  return asking.send('POST', '/v1/agents/links', { public_key: asking.publicKey, name: 'Pantry', ...changes })
}

const addTo = async (changes: Record<string, unknown>) =>
  wallet().post(`/v1/customers/${await createCustomer(wallet())}/address`, addressBody(changes))

test.each(PLACES)('a text of which nothing is seen is no %s', async (field, send) => {
  for (const [what, text] of Object.entries(NOTHING)) {
    for (const sent of [text, `${text} ${text}`]) {
      const { status, body } = await send(sent)
      expect([what, status, body.error?.details]).toEqual([
        what,
        400,
        { [field]: expect.stringMatching(/^must show /) },
      ])
    }
  }
  const { status } = await send(Object.values(NOTHING).join('').concat('茶'))
  expect(status).toBeLessThan(300)
})

test('a charge names its shop and what it buys as a session does', async () => {
  const purchase_context = [custom({ name: '\u200d' }, { description: '\u2800' })]
  const body = { amount: '1.00', purchase_context }
  const { status, body: answer } = await service.merchant.post('/v1/mandates/mdt_none/charge', body)
  expect([status, Object.keys(answer.error.details)]).toEqual([
    400,
    ['purchase_context[0].merchant_details.name', 'purchase_context[0].product_details[0].description'],
  ])
})

interface Shape {
  type?: string
  format?: string
  pattern?: string
  enum?: unknown
  const?: unknown
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  allOf?: Shape[]
}

/** All free texts of a body, with the names of their fields. */
function* textsOf(shape: Shape, field = ''): Generator<[field: string, format: string]> {
  const isFree = shape.pattern === undefined && shape.enum === undefined && shape.const === undefined
  if (shape.type === 'string' && isFree) yield [field, shape.format ?? 'none']
  for (const [name, each] of Object.entries(shape.properties ?? {})) yield* textsOf(each, name)
  for (const each of [
    ...(shape.items === undefined ? [] : [shape.items]),
    ...(shape.anyOf ?? []),
    ...(shape.allOf ?? []),
  ])
    yield* textsOf(each, field)
}

test('each text of each request shows something, or is of a form, or is known to be a reference', () => {
  const deps = { brand: brandedNames('network'), readiness: {}, clock: {}, cards: {}, webhooks: {}, ownerCookie: {} }
  const rows = Object.values(routeTables(deps as unknown as RouteTableDeps)).flat()
  const texts = rows.flatMap(({ body }) => (body === undefined ? [] : [...textsOf(body as Shape)]))
  const ofFormat = (...formats: string[]) => [
    ...new Set(texts.flatMap(([field, format]) => (formats.includes(format) ? [field] : []))),
  ]
  expect(ofFormat('name').toSorted()).toEqual(['client_name', 'first_name', 'last_name', 'merchant_name', 'name'])
  expect(ofFormat('clean-text', 'none').toSorted()).toEqual(REFERENCES)
})

/** Compared byte by byte, or judged by code: no person is told them as the name of anything. */
const REFERENCES = [
  ...[
    'agent_id',
    'authorization_code',
    'card_id',
    'card_number',
    'category_code',
    'change_id',
    'code',
    'consent_id',
    'cursor',
  ],
  ...['customer_id', 'cvv', 'email', 'expiry_month', 'expiry_year', 'external_order_ref', 'launch_secret', 'locale'],
  ...['merchant', 'merchant_id', 'merchants', 'owner', 'product_id', 'product_ref_id', 'reference', 'remove'],
  ...['response_code', 'session_id', 'signed_agreement_id', 'time_zone', 'txn_ref_id', 'url', 'user_id'],
  ...['variant_id', 'visit', 'zone'],
]
