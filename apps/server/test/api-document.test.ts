// Guarantee: what both APIs publish of themselves is whole and true.
import { brandedNames } from '@mintmark/contract'
import { describe, expect, test } from 'vitest'
import { type CardDeps, createCardService } from '../src/cards/service.ts'
import { apiDocument } from '../src/hosts/api-document.ts'
import { type RouteTableDeps, routeTables } from '../src/hosts/routes.ts'
import { walletApiDocument } from '../src/hosts/wallet-api/document.ts'
import { walletEnvelope } from '../src/hosts/wallet-api/envelope.ts'
import { PLAIN_ENVELOPE } from '../src/http/envelope.ts'
import { webhookPolicy } from '../src/platform/egress/policy.ts'
import { createWebhookService, type WebhookDeps } from '../src/webhooks/service.ts'
import { describeDocument, documentOf, expectRedoclyAgrees } from './document-check.ts'

const brand = brandedNames('network')
const clock = { now: () => new Date('2026-11-21T12:00:00.000Z') }
/** As much as the checks of rows ask: a clock, and where requests may go. */
const cards = createCardService({ clock } as CardDeps)
const webhooks = createWebhookService({ policy: webhookPolicy({ allowLoopback: false }) } as WebhookDeps)
const tables = routeTables({ brand, clock, readiness: {}, cards, webhooks } as unknown as RouteTableDeps)
const MAIN = {
  rows: tables.api,
  info: apiDocument({ apiUrl: 'https://api.mintmark.test', environment: 'sandbox' }),
  envelope: PLAIN_ENVELOPE,
}
const WALLET = {
  rows: tables.wallet,
  info: walletApiDocument({ walletApiUrl: 'https://wallet.mintmark.test', environment: 'sandbox' }),
  envelope: walletEnvelope(clock.now),
}

describe('main API', () => {
  const schemas = ['Amount', 'CreateSessionRequest', 'LineItem', 'PaymentResult', 'Session']
  describeDocument({ ...MAIN, schemas })
})
describe('wallet API', () => {
  describeDocument({ ...WALLET, schemas: ['Address', 'Customer', 'CreateCustomerRequest', 'Meta', 'Pagination'] })
})

test('Redocly has nothing to say, with every recommended rule as an error', () => expectRedoclyAgrees([MAIN, WALLET]))

test('says what is taken when a field is left out', () => {
  const { schemas } = documentOf(MAIN).components
  const defaults = [
    [schemas.ProductDetails.properties.quantity, 1],
    [schemas.Purchase.properties.effective_until_minutes, 15],
    [schemas.IntegrationType, 'full_checkout'],
    [schemas.MerchantScope, 'listed'],
    [schemas.MandateSetup.properties.adjustable, false],
    [schemas.ReportStatusRequest.properties.txn_type, 'PURCHASE'],
  ]
  for (const [schema, value] of defaults) expect(schema.default).toBe(value)
  // Not always this one: a default would be taken for a promise by clients that are generated.
  const { card_number } = schemas.CompleteRequest.properties
  expect(card_number).not.toHaveProperty('default')
  expect(card_number.description).toContain('4242 4242 4242 4242, or the card that is chosen already')
})

/** Every pattern in a document. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'pattern' in value && typeof value.pattern === 'string' ? [value.pattern] : []
  return [...own, ...Object.values(value).flatMap(patternsIn)]
}

/** Made once: most of the time of the test was theirs. */
const LONG_TEXTS = ['a', '1', ' ', '.', '-', '_', 'a.', '1.', 'qte_', '\u0085'].flatMap((piece) => {
  const text = piece.repeat(200_000)
  return [text, `${text}!`]
})

test.each([
  ['main API', MAIN],
  ['wallet API', WALLET],
])('no pattern of the %s takes long for any text: clients check by it as well', (_, host) => {
  const patterns = new Set(patternsIn(documentOf(host)))
  expect(patterns.size).toBeGreaterThan(3)
  // Quadratic work of one pattern alone would take minutes, and a test has seconds.
  for (const pattern of patterns) for (const text of LONG_TEXTS) new RegExp(pattern, 'u').test(text)
})
