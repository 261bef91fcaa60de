import { randomBytes, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { NO_EVENTS } from '../../db/testing/no-events.ts'
import { newId, newMerchantId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { ManualClock } from '../../platform/testing/manual-clock.ts'
import { testSeals } from '../../platform/testing/row-seals.ts'
import { type CeremonyScope, createPasskeyService, type PasskeyService, type Subject } from '../service.ts'
import { type Ceremonies, createCeremonies } from './ceremonies.ts'
import { createHostileAuthenticator, type HostileAuthenticator } from './hostile-authenticator.ts'

export const RP_ID = 'pay.mintmark.test'
export const SURFACE_ORIGIN = 'https://pay.mintmark.test'
export const OWNER_ORIGIN = 'https://owners.pay.mintmark.test'
const CONSOLE_ORIGIN = 'https://console.pay.mintmark.test'
export const SHOP_ORIGIN = 'https://shop.example'
export const TTL_SECONDS = 300

/** A customer of a merchant of its own, in an open session, with an authenticator in hand and no passkey yet. */
export interface Person {
  scope: CeremonyScope
  cardId: string
  authenticator: HostileAuthenticator
}

export interface World {
  pool: Pool
  clock: ManualClock
  /** What the service is made of. */
  passkeys: PasskeyService
  /** Its ceremonies, for a subject that reads and stores nothing else. */
  service: Ceremonies
  register: Ceremonies['register']
  hasPasskey(customer: { merchantId: string; customerId: string }): Promise<boolean>
  newPerson(options?: { merchantId?: string }): Promise<Person>
  newSession(person: Person): Promise<Person>
  /** A person whose passkey is registered. */
  newOwner(options?: { merchantId?: string; signCount?: number; flags?: number }): Promise<Person>
}

export function createWorld(pool: Pool): World {
  const clock = new ManualClock()
  const passkeys = createPasskeyService({
    pool,
    clock,
    events: NO_EVENTS,
    rpId: RP_ID,
    rpName: 'Mintmark',
    surfaceOrigin: SURFACE_ORIGIN,
    ownerOrigin: OWNER_ORIGIN,
    consoleOrigin: CONSOLE_ORIGIN,
    seals: testSeals(),
    log: createLog({ level: 'silent' }),
    challengeTtlSeconds: TTL_SECONDS,
  })
  const service = createCeremonies({ pool, clock, passkeys })
  const newPerson: World['newPerson'] = async ({ merchantId } = {}) => {
    const merchant = merchantId ?? (await insertMerchant(pool, clock.now()))
    const { customerId, cardId } = await insertCustomer(pool, merchant, clock.now())
    const allowedOrigins = [SHOP_ORIGIN, 'http://localhost:*']
    const scope = { merchantId: merchant, customerId, subject: newSubject(), allowedOrigins }
    return { scope, cardId, authenticator: newAuthenticator() }
  }
  return {
    pool,
    clock,
    passkeys,
    service,
    register: service.register,
    hasPasskey: async (customer) => (await service.findOwn(customer)) !== null,
    newPerson,
    async newSession(person) {
      return { ...person, scope: { ...person.scope, subject: newSubject() } }
    },
    async newOwner({ merchantId, signCount = 0, flags } = {}) {
      const person = await newPerson(merchantId === undefined ? {} : { merchantId })
      const options = await service.registrationOptions(person.scope, { embedded: false, userLabel: 'Shop' })
      const overrides = { counter: signCount, ...(flags === undefined ? {} : { flags }) }
      await service.register(person.scope, person.authenticator.register(options, overrides))
      return person
    },
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
  const id = newMerchantId()
  await insert(pool, 'merchants', {
    id,
    name: 'Shop',
    status: 'active',
    allowed_origins: [SHOP_ORIGIN],
    webhook_secret_sealed: Buffer.alloc(1),
    webhook_secret_key_id: 'local:1',
    created_at: at,
  })
  return id
}

async function insertCustomer(pool: Pool, merchantId: string, at: Date) {
  const customerId = newId('customer')
  const cardId = newId('card')
  const recordId = randomUUID()
  const key = { merchant_id: merchantId, created_at: at }
  const face = { last4: '4242', exp_month: 12, exp_year: 2030 }
  const named = { external_user_id: customerId, email: 'a@shop.example', updated_at: at }
  await insert(pool, 'customers', { ...key, id: customerId, ...named })
  await insert(pool, 'vault_records', {
    ...key,
    ...face,
    id: recordId,
    number_sealed: '',
    number_key_id: 'local:1',
    added_by: 'cardholder',
  })
  await insert(pool, 'cards', {
    ...key,
    ...face,
    id: cardId,
    fingerprint: randomBytes(8),
    entry_seal: '',
    customer_id: customerId,
    vault_record_id: recordId,
    status: 'active',
    network_token_ref: 'tok',
    seal: '',
    step_up_pending: false,
    is_default: true,
    accepted_at: at,
    updated_at: at,
  })
  return { customerId, cardId }
}

function newSubject(): Subject {
  return { type: 'card_removal', id: newId('session') }
}
