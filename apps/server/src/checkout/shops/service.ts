import { createHash } from 'node:crypto'
import type { Country, ShopAdapter, ShopStatus } from '@mintmark/contract'
import { type CommandDeps, single } from '../../db/command.ts'
import { autocommit } from '../../db/transaction.ts'
import { bound } from '../../platform/bound.ts'
import type { EgressPolicy } from '../../platform/egress/policy.ts'
import { fieldErrors, notFound } from '../../platform/errors.ts'
import { idFrom, newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { isUntouched, type RowSeals, RowTampered } from '../../platform/row-seals.ts'
import type { Secret } from '../../platform/secret.ts'
import {
  type CellRef,
  countOf,
  MAX_COUNTED,
  type SealedField,
  type SealedPlace,
  type Vault,
} from '../../vault/service.ts'
import type {
  CatalogPage,
  CatalogProduct,
  CheckoutAnswer,
  MerchantCheckout,
  QuoteRequest,
  SearchRequest,
  ShopQuote,
} from '../port.ts'
import { createAsker } from './ask.ts'
import { createPlaces } from './places.ts'
import { type ShopSettings, shopProblems } from './rules.ts'
import { NO_MERCHANT, sealedShop } from './seal.ts'
import * as store from './store.ts'

/** A shop that the service buys at. */
export interface Shop {
  id: string
  name: string
  url: string
  country: Country
  adapter: ShopAdapter
  baseUrl: string
  /** Over the above (`sealedShop`): checked before the shop is asked. */
  seal: Buffer
  /** What the service proves itself with there, sealed; null: the shop asks for nothing. */
  key: SealedField | null
  status: ShopStatus
  createdAt: Date
  updatedAt: Date
}

/** Where a shop is asked, and what it is shown. */
export interface ShopAddress {
  baseUrl: string
  key: Secret | null
  /** The sandbox has started it itself. */
  isOwn: boolean
}

/** How a shop is spoken to. */
export type CreateCheckout = (adapter: ShopAdapter, shop: ShopAddress) => MerchantCheckout | Promise<MerchantCheckout>

export interface ShopDeps extends Pick<CommandDeps, 'pool' | 'clock'> {
  vault: Pick<Vault, 'sealText' | 'unsealText'>
  seals: RowSeals
  /** Where shops may be that the operator adds. */
  policy: EgressPolicy
  createCheckout: CreateCheckout
  log: Log
  /** How long a caller waits for a shop at most. */
  timeoutMillis: number
}

interface Deps extends ShopDeps {
  asker: ReturnType<typeof createAsker>
}

/** The shops that the service buys at: the operator's, and the same for every merchant account. */
export const createShopService = (given: ShopDeps) => ({
  ...bound(
    { ...given, asker: createAsker(given.timeoutMillis) },
    {
      add,
      update,
      list,
      listActive,
      find,
      checkoutOf,
      search,
      product,
      quote,
      isSilent,
      ensureSandboxShop,
      findSandboxShop,
      sealedKeys,
    },
  ),
  /** For who asks without a caller that waits. */
  places: createPlaces(),
})
export type ShopService = ReturnType<typeof createShopService>

/** Seals before the write: the key provider may be a network away. `VAL_2001` names what is wrong. */
export async function add(deps: ShopDeps, settings: ShopSettings, key: Secret | null): Promise<Shop> {
  checkSettings(deps, settings)
  const shopId = newId('shop')
  const sealed = await sealKey(deps, shopId, key)
  const seal = deps.seals.seal(sealedShop({ id: shopId, ...settings }))
  await single(deps, { name: 'shops.add', silent: 'operator' }, ({ on, at }) =>
    store.insertShop(on, { shopId, ...settings, ...sealed, seal, at }),
  )
  return getShop(deps, shopId)
}

/** What an operator may change of a shop. How it is spoken to stays: its products and quotes are named in that language. */
export interface ShopChanges extends Partial<Omit<ShopSettings, 'adapter'>> {
  status?: ShopStatus
  /** Null: it asks for none any more. */
  key?: Secret | null
}

/**
 * Changes only what is given. `NOT_FOUND` for no such shop. A row that was edited in the database is not sealed again by the change of
 * another part of it: it is taken back by an operator who says all of it anew. Disabled it is as it stands, seal and all: that is what an
 * operator wants of it first.
 */
export async function update(deps: ShopDeps, shopId: string, changes: ShopChanges): Promise<Shop> {
  const { key, status = null, ...given } = changes
  checkSettings(deps, given)
  const sealed = await sealKey(deps, shopId, key ?? null)
  const before = await getShop(deps, shopId)
  const onlyDisables = status === 'disabled' && key === undefined && Object.keys(given).length === 0
  if (!onlyDisables && !SEALED_SETTINGS.every((setting) => given[setting] !== undefined)) checkSeal(deps, before)
  const shop = { ...before, ...given }
  const { name, url, country, baseUrl } = shop
  const values = { shopId, name, url, country, baseUrl, status, changesKey: key !== undefined, ...sealed }
  const seals = { seal: onlyDisables ? before.seal : deps.seals.seal(sealedShop(shop)), sealBefore: before.seal }
  const updated = await single(deps, { name: 'shops.update', silent: 'operator' }, ({ on, at }) =>
    store.updateShop(on, { ...values, ...seals, at }),
  )
  // Another operator was first: on top of what they changed.
  return updated === undefined ? update(deps, shopId, changes) : toShop(updated)
}

const SEALED_SETTINGS = ['name', 'url', 'country', 'baseUrl'] as const

/** The shop is as its operator said, or the alarm is in the log. */
function checkSeal({ seals }: Pick<ShopDeps, 'seals'>, shop: Shop): void {
  seals.check(sealedShop(shop), shop.seal)
}

/** All of them, the oldest first. */
export async function list({ pool }: Pick<ShopDeps, 'pool'>): Promise<Shop[]> {
  return (await store.listShops(pool)).map(toShop)
}

export async function listActive(deps: Pick<ShopDeps, 'pool'>): Promise<Shop[]> {
  return (await list(deps)).filter(({ status }) => status === 'active')
}

export async function find({ pool }: Pick<ShopDeps, 'pool'>, shopId: string): Promise<Shop | undefined> {
  const found = await store.findShop(pool, { shopId })
  return found && toShop(found)
}

/** In which protocol a shop is spoken to, and where. */
type Place = Pick<Shop, 'adapter' | 'baseUrl'>

/**
 * How this shop is asked. Opens its key, so it is called outside of transactions. No shop is asked, and no key opened, at an
 * address that was edited in the database.
 */
export async function checkoutOf(deps: ShopDeps, shop: Shop, place: Place = shop): Promise<MerchantCheckout> {
  checkSeal(deps, shop)
  const { vault, createCheckout } = deps
  const key = shop.key === null ? null : await vault.unsealText(keyCell(shop.id), shop.key)
  return createCheckout(place.adapter, { baseUrl: place.baseUrl, key, isOwn: shop.id === SANDBOX_SHOP_ID })
}

/**
 * Where a shop speaks the Agentic Commerce Protocol, in which it takes a card for a token of its own; null: nowhere. The shop of the
 * sandbox does beside its own API, by which the service buys there.
 */
export function acpPlaceOf({ id, adapter, baseUrl }: Pick<Shop, 'id' | 'adapter' | 'baseUrl'>): Place | null {
  if (adapter === 'acp') return { adapter, baseUrl }
  return id === SANDBOX_SHOP_ID ? { adapter: 'acp', baseUrl: `${baseUrl}/acp` } : null
}

// What a caller waits for: it never throws, and takes a bounded time.

export const search = (deps: Deps, shop: Shop, request: SearchRequest): Promise<CheckoutAnswer<CatalogPage>> =>
  ask(deps, shop, (checkout) => checkout.search(request))

export const product = (
  deps: Deps,
  shop: Shop,
  request: { productId: string },
): Promise<CheckoutAnswer<CatalogProduct>> => ask(deps, shop, (checkout) => checkout.product(request))

export const quote = (deps: Deps, shop: Shop, request: QuoteRequest): Promise<CheckoutAnswer<ShopQuote>> =>
  ask(deps, shop, (checkout) => checkout.quote(request))

async function ask<T>(
  deps: Deps,
  shop: Shop,
  question: (checkout: MerchantCheckout) => Promise<CheckoutAnswer<T>>,
): Promise<CheckoutAnswer<T>> {
  return deps.asker.ask(shop.id, async () => {
    const checkout = await checkoutOf(deps, shop).catch((error: unknown) => noteUnopened(deps, shop, error))
    return checkout === undefined ? { outcome: 'unknown', cause: 'key' } : question(checkout)
  })
}

/** A shop whose key does not open must not fail the others that are asked; the operator is told. */
function noteUnopened({ log }: Deps, { id }: Shop, error: unknown): undefined {
  // Its alarm is in the log.
  if (error instanceof RowTampered) return
  log.failure('the key of a shop does not open', error, { alarm: 'shop_key_unusable', table: 'shops', row_id: id })
}

/** It did not answer in time a moment ago. */
export function isSilent({ asker }: Pick<Deps, 'asker'>, { id }: Shop): boolean {
  return asker.isSilent(id)
}

/** Always the same one, however often a sandbox starts. */
const SANDBOX_SHOP_ID = idFrom('shop', createHash('sha256').update('the shop of the sandbox').digest())

/** The shop that a sandbox starts for itself, where it is now. What its operator has renamed or disabled stays so. */
export async function ensureSandboxShop(deps: ShopDeps, settings: ShopSettings, key: Secret): Promise<Shop> {
  const shopId = SANDBOX_SHOP_ID
  const sealed = await sealKey(deps, shopId, key)
  const known = await find(deps, shopId)
  // All that the seal covers is known here: where the row was edited, the alarm is in the log, and the row as it should be.
  const { name, country } = known !== undefined && isUntouched(() => checkSeal(deps, known)) ? known : settings
  const shop = { ...settings, name, country }
  const seal = deps.seals.seal(sealedShop({ id: shopId, ...shop }))
  const made = await single(deps, { name: 'shops.ensure_sandbox_shop', silent: 'operator' }, ({ on, at }) =>
    store.upsertShop(on, { shopId, ...shop, ...sealed, seal, at }),
  )
  if (made === undefined) throw new Error('An insert that updates on conflict returned no row.')
  return toShop(made)
}

/** That shop, if this deployment has had one. */
export async function findSandboxShop(deps: Pick<ShopDeps, 'pool'>): Promise<Shop | undefined> {
  return find(deps, SANDBOX_SHOP_ID)
}

/** Where the keys of shops are, for the rotation of keys. */
export function sealedKeys({ pool }: Pick<ShopDeps, 'pool'>): SealedPlace {
  return {
    name: 'shops.key',
    count: (keyId) => store.countKeysUnderKey(pool, { keyId, limit: MAX_COUNTED }).then(countOf),
    async list(keyId, after, limit) {
      const rows = await store.listKeysUnderKey(pool, { keyId, after: after?.id ?? '', limit })
      return rows.map((row) => ({ ...row, merchantId: NO_MERCHANT }))
    },
    cellOf: ({ id }) => keyCell(id),
    update: ({ id: shopId, sealed: before }, { sealed, keyId }) =>
      autocommit(pool, (on) => store.updateKeyWrap(on, { shopId, before, sealed, keyId })),
  }
}

function keyCell(shopId: string): CellRef {
  return { table: 'shops', merchantId: NO_MERCHANT, id: shopId, field: 'key' }
}

async function sealKey({ vault }: ShopDeps, shopId: string, key: Secret | null) {
  if (key === null) return { keySealed: null, keyKeyId: null }
  const { sealed, keyId } = await vault.sealText(keyCell(shopId), key)
  return { keySealed: sealed, keyKeyId: keyId }
}

function checkSettings({ policy }: ShopDeps, settings: Partial<ShopSettings>): void {
  const problems = shopProblems(settings, policy)
  if (Object.keys(problems).length > 0) throw fieldErrors(problems)
}

async function getShop(deps: ShopDeps, shopId: string): Promise<Shop> {
  const shop = await find(deps, shopId)
  if (shop === undefined) throw notFound()
  return shop
}

function toShop({ keySealed, keyKeyId, ...row }: store.ShopRow): Shop {
  return { ...row, key: keySealed === null || keyKeyId === null ? null : { sealed: keySealed, keyId: keyKeyId } }
}
