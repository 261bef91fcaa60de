import { randomBytes, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { addSeconds, ManualClock } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import { type CeremonyScope, createPasskeyService, type JsonValue, type PasskeyService } from './service.ts'
import { createHostileAuthenticator, type HostileAuthenticator } from './testing/hostile-authenticator.ts'

export const RP_ID = 'pay.mintmark.test'
export const SURFACE_ORIGIN = 'https://pay.mintmark.test'
export const SHOP_ORIGIN = 'https://shop.example'
export const TTL_SECONDS = 300

export const STATEMENT: JsonValue = { payee: 'Shop', amount: '40.00', currency: 'USD', card_last4: '4242' }

/** A customer of a merchant of its own, in an open session, with an authenticator in hand and no passkey yet. */
export interface Person {
  readonly scope: CeremonyScope
  readonly cardId: string
  readonly authenticator: HostileAuthenticator
}

export interface World {
  readonly pool: Pool
  readonly clock: ManualClock
  readonly service: PasskeyService
  newPerson(options?: { merchantId?: string }): Promise<Person>
  newSession(person: Person): Promise<Person>
  /** A person whose passkey is registered. */
  newOwner(options?: { merchantId?: string; signCount?: number; flags?: number }): Promise<Person>
  newMandate(person: Person): Promise<string>
}

export function createWorld(pool: Pool): World {
  const clock = new ManualClock()
  const service = createPasskeyService({
    pool,
    clock,
    rpId: RP_ID,
    rpName: 'Mintmark',
    surfaceOrigin: SURFACE_ORIGIN,
    challengeTtlSeconds: TTL_SECONDS,
  })
  const newPerson: World['newPerson'] = async ({ merchantId } = {}) => {
    const merchant = merchantId ?? (await insertMerchant(pool, clock.now()))
    const { customerId, cardId } = await insertCustomer(pool, merchant, clock.now())
    const sessionId = await insertSession(pool, merchant, customerId, clock.now())
    const scope = { merchantId: merchant, customerId, sessionId, allowedOrigins: [SHOP_ORIGIN, 'http://localhost:*'] }
    return { scope, cardId, authenticator: newAuthenticator() }
  }
  return {
    pool,
    clock,
    service,
    newPerson,
    async newSession(person) {
      const { merchantId, customerId } = person.scope
      const sessionId = await insertSession(pool, merchantId, customerId, clock.now())
      return { ...person, scope: { ...person.scope, sessionId } }
    },
    async newOwner({ merchantId, signCount = 0, flags } = {}) {
      const person = await newPerson(merchantId === undefined ? {} : { merchantId })
      const options = await service.registrationOptions(person.scope, { embedded: false, userLabel: 'Shop' })
      const overrides = { counter: signCount, ...(flags === undefined ? {} : { flags }) }
      await service.register(person.scope, person.authenticator.register(options, overrides))
      return person
    },
    newMandate: (person) => insertMandate(pool, person, clock.now()),
  }
}

export function newAuthenticator(): HostileAuthenticator {
  return createHostileAuthenticator({ seed: randomBytes(32), rpId: RP_ID, origin: SURFACE_ORIGIN })
}

async function insert(pool: Pool, table: string, values: Record<string, unknown>): Promise<void> {
  const columns = Object.keys(values)
  const places = columns.map((_, index) => `$${index + 1}`)
  await pool.query(`insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`, Object.values(values))
}

async function insertMerchant(pool: Pool, at: Date): Promise<string> {
  const id = newId('merchant')
  await insert(pool, 'merchants', {
    id,
    name: 'Shop',
    status: 'active',
    allowed_origins: [SHOP_ORIGIN],
    webhook_secret_sealed: Buffer.alloc(1),
    webhook_secret_key_id: 'test',
    created_at: at,
  })
  return id
}

async function insertCustomer(pool: Pool, merchantId: string, at: Date) {
  const customerId = newId('customer')
  const cardId = newId('card')
  const recordId = randomUUID()
  const key = { merchant_id: merchantId, created_at: at }
  const face = { fingerprint: randomBytes(8), last4: '4242', exp_month: 12, exp_year: 2030 }
  const named = { external_user_id: customerId, email: 'a@shop.example', updated_at: at }
  await insert(pool, 'customers', { ...key, id: customerId, ...named })
  await insert(pool, 'vault_records', { ...key, ...face, id: recordId, number_sealed: '', number_key_id: 'test' })
  await insert(pool, 'cards', {
    ...key,
    ...face,
    id: cardId,
    customer_id: customerId,
    vault_record_id: recordId,
    status: 'active',
    network_token_ref: 'tok',
    step_up_pending: false,
    is_default: true,
    updated_at: at,
  })
  return { customerId, cardId }
}

async function insertSession(pool: Pool, merchantId: string, customerId: string, at: Date): Promise<string> {
  const id = newId('session')
  await insert(pool, 'sessions', {
    merchant_id: merchantId,
    id,
    customer_id: customerId,
    order_id: newId('order'),
    kind: 'payment',
    status: 'pending',
    integration_type: 'embedding',
    effective_minutes: 15,
    launch_hash: Buffer.alloc(1),
    version: 1,
    created_at: at,
    expires_at: addSeconds(at, 900),
  })
  return id
}

async function insertMandate(pool: Pool, { scope, cardId }: Person, at: Date): Promise<string> {
  const id = newId('mandate')
  await insert(pool, 'mandates', {
    merchant_id: scope.merchantId,
    id,
    customer_id: scope.customerId,
    session_id: scope.sessionId,
    card_id: cardId,
    transient: true,
    status: 'pending',
    frequency: 'one_time',
    merchant_scope: 'listed',
    payee_name: 'Shop',
    payee_url: SHOP_ORIGIN,
    payee_country: 'US',
    approved_minor: 4000,
    currency: 'USD',
    valid_until: addSeconds(at, 900),
    approval_hash: '',
    cancel_attempts: 0,
    lease_fence: 0,
    created_at: at,
  })
  return id
}
