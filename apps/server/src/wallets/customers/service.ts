import type { Environment } from '@mintmark/contract'
import { type KeyedRequest, type RespondDeps, respondOnce, type StoredResponse } from '../../db/respond-once.ts'
import type { Queryable } from '../../db/statement.ts'
import type { AccountDeps } from '../../ledger/service.ts'
import { bound } from '../../platform/bound.ts'
import { newUuid, uuidOf } from '../../platform/ids.ts'
import { openWallet } from '../accounts/service.ts'
import { sandboxOnly } from '../errors.ts'
import { LAST_ID, type Listed, listed, type Range } from '../list.ts'
import { customerDecided, customerExists, customerNotFound } from './errors.ts'
import type { WalletCustomerRef } from './ref.ts'
import { comparedEmail } from './rules.ts'
import * as store from './store.ts'

export type { WalletCustomerRef } from './ref.ts'
export type Customer = store.CustomerRow
export type Address = store.AddressRow

export interface CustomerDeps extends RespondDeps, AccountDeps {
  environment: Environment
}

type Particulars = Parameters<typeof store.insertCustomer>[1]
export type NewCustomer = Omit<Particulars, 'merchantId' | 'customerId' | 'emailCompared' | 'at'> & { email: string }
export type NewAddress = Omit<
  Parameters<typeof store.insertAddress>[1],
  'merchantId' | 'customerId' | 'addressId' | 'at'
>

/** Customers of the wallet API, and where their orders go. */
export const createWalletCustomerService = (deps: CustomerDeps) =>
  bound(deps, { create, find, list, verify, reject, addAddress, listAddresses })
export type WalletCustomerService = ReturnType<typeof createWalletCustomerService>

/** `CUSTOMER_EXISTS` when the merchant has a customer of the address. The wallet in USD is opened in the same transaction. */
export async function create(
  deps: CustomerDeps,
  merchantId: string,
  customer: NewCustomer,
  request: KeyedRequest<Customer>,
): Promise<StoredResponse> {
  const declaration = { name: 'wallets.create_customer', silent: 'wallet' } as const
  return respondOnce(deps, declaration, { merchantId, request }, async (change) => {
    const ids = { merchantId, customerId: newUuid(), emailCompared: comparedEmail(customer.email) }
    const made = await store.insertCustomer(change.tx, { ...customer, ...ids, at: change.at })
    if (made === undefined) throw customerExists()
    await openWallet(deps, change, { merchantId, customerId: made.id, currency: 'USD' })
    return made
  })
}

/** `CUSTOMER_NOT_FOUND` for none of the merchant's. */
export async function find({ pool }: Pick<CustomerDeps, 'pool'>, ref: WalletCustomerRef): Promise<Customer> {
  return getCustomer(pool, ref)
}

/** The customer, read where the caller reads: in an open transaction, or on the pool. */
export async function getCustomer(on: Queryable, { merchantId, customerId }: WalletCustomerRef): Promise<Customer> {
  const id = uuidOf(customerId)
  const found = id === undefined ? undefined : await store.findCustomer(on, { merchantId, customerId: id })
  if (found === undefined) throw customerNotFound()
  return found
}

interface Sought {
  /** Only those behind this customer. */
  before?: string | undefined
  /** Only the one of this address. */
  email?: string | undefined
}

/** Customers of a merchant, the newest first. */
export async function list(
  { pool }: CustomerDeps,
  merchantId: string,
  { offset, limit, most }: Range,
  { before = LAST_ID, email }: Sought = {},
): Promise<Listed<Customer>> {
  if (email !== undefined) {
    const found = await store.findCustomerByEmail(pool, { merchantId, emailCompared: comparedEmail(email), before })
    const all = found === undefined ? [] : [found]
    return { rows: all.slice(offset, offset + limit), counted: BigInt(all.length) }
  }
  const rows = await store.listCustomers(pool, { merchantId, before, limit, offset })
  return listed(rows, await store.countCustomers(pool, { merchantId, before, most }))
}

/** Plays the check of a customer, who passes it. Sandbox only. */
export const verify = decider('wallets.verify_customer', store.updateVerified)
/** And who does not. */
export const reject = decider('wallets.reject_customer', store.updateRejected)

function decider(name: string, update: typeof store.updateVerified) {
  return async function decide(
    deps: CustomerDeps,
    ref: WalletCustomerRef,
    request: KeyedRequest<Customer>,
  ): Promise<StoredResponse> {
    if (deps.environment !== 'sandbox') throw sandboxOnly()
    const { merchantId } = ref
    return respondOnce(deps, { name, silent: 'wallet' }, { merchantId, request }, async ({ tx, at }) => {
      const { id: customerId } = await getCustomer(tx, ref)
      const decided = await update(tx, { merchantId, customerId, at })
      if (decided === undefined) throw customerDecided()
      return decided
    })
  }
}

export async function addAddress(
  deps: CustomerDeps,
  ref: WalletCustomerRef,
  address: NewAddress,
  request: KeyedRequest<Address>,
): Promise<StoredResponse> {
  const { merchantId } = ref
  const declaration = { name: 'wallets.add_address', silent: 'wallet' } as const
  return respondOnce(deps, declaration, { merchantId, request }, async ({ tx, at }) => {
    const customerId = uuidOf(ref.customerId)
    if (customerId === undefined) throw customerNotFound()
    const added = await store.insertAddress(tx, { ...address, merchantId, customerId, addressId: newUuid(), at })
    if (added === undefined) throw customerNotFound()
    return added
  })
}

export async function listAddresses(
  { pool }: CustomerDeps,
  ref: WalletCustomerRef,
  { offset, limit, most }: Range,
): Promise<Listed<Address>> {
  const { merchantId } = ref
  const { id: customerId } = await getCustomer(pool, ref)
  const rows = await store.listAddresses(pool, { merchantId, customerId, limit, offset })
  return listed(rows, await store.countAddresses(pool, { merchantId, customerId, most }))
}
