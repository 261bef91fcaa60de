import { MAX_CART_LINES } from '@mintmark/contract'
import type { Change } from '../../db/command.ts'
import { type KeyedRequest, respondOnce, type StoredResponse } from '../../db/respond-once.ts'
import { addSeconds } from '../../platform/clock.ts'
import { fieldErrors, type PublicError } from '../../platform/errors.ts'
import { newUuid, uuidOf } from '../../platform/ids.ts'
import { getCustomer } from '../customers/service.ts'
import { productNotFound } from '../store/errors.ts'
import { getStore } from '../store/service.ts'
import type { CartDeps } from './deps.ts'
import { cartNotFound, cartNotOpen, invalidQuantity } from './errors.ts'
import { type Added, type CartRefusal, changeLines, type Held } from './rules.ts'
import * as store from './store.ts'
import { type CartView, findView } from './view.ts'

const DAY_SECONDS = 24 * 60 * 60

interface NewCart {
  merchantId: string
  customerId: string
  storeId: string
}

/** Makes a cart at a merchant. Nothing of its stock is kept back. */
export async function create(
  deps: CartDeps,
  { merchantId, ...names }: NewCart,
  added: readonly Added[],
  request: KeyedRequest<CartView>,
): Promise<StoredResponse> {
  const declaration = { name: 'carts.create', silent: 'wallet' } as const
  return respondOnce(deps, declaration, { merchantId, request }, async (change) => {
    const { tx, at } = change
    const { id: customerId } = await getCustomer(tx, { merchantId, customerId: names.customerId })
    const { id: storeId } = await getStore(tx, { merchantId, storeId: names.storeId })
    const cart = { merchantId, cartId: newUuid(), storeId }
    const lines = await judge(change, cart, { held: [], removed: [], added })
    await store.insertCart(tx, { ...cart, customerId, at, abandonAt: restsUntil(deps, at) })
    await putLines(change, cart, lines)
    return getView(change, cart)
  })
}

/** What a cart is changed by; ids are as they were sent. */
export interface CartPatch {
  added: readonly Added[]
  removed: readonly string[]
}

/**
 * Changes an open cart: first what is taken out, then what is put in. Changes of one cart at the same time follow each other, and none is
 * lost.
 */
export async function update(
  deps: CartDeps,
  ref: { merchantId: string; cartId: string },
  { added, removed: given }: CartPatch,
  request: KeyedRequest<CartView>,
): Promise<StoredResponse> {
  const { merchantId } = ref
  const declaration = { name: 'carts.update', silent: 'wallet' } as const
  return respondOnce(deps, declaration, { merchantId, request }, async (change) => {
    const { tx, at } = change
    const cart = await lockOpen(change, ref)
    const held = await store.listLines(tx, cart)
    const removed = given.flatMap((id) => uuidOf(id) ?? [])
    const lines = await judge(change, cart, { held, removed, added })
    const gone = removed.filter((id) => lines.every(({ productId }) => productId !== id))
    if (gone.length > 0) await store.deleteLines(tx, { ...cart, productIds: gone })
    const touched = new Set(added.map(({ productId }) => uuidOf(productId)))
    await putLines(
      change,
      cart,
      lines.filter(({ productId }) => touched.has(productId)),
    )
    await store.updateChanged(tx, { ...cart, at, abandonAt: restsUntil(deps, at) })
    return getView(change, cart)
  })
}

interface OpenCart {
  merchantId: string
  cartId: string
  storeId: string
}

async function lockOpen(
  { tx }: Change,
  { merchantId, ...ref }: { merchantId: string; cartId: string },
): Promise<OpenCart> {
  const cartId = uuidOf(ref.cartId)
  const cart = cartId === undefined ? undefined : await store.lockCart(tx, { merchantId, cartId, customerId: null })
  if (cart === undefined) throw cartNotFound()
  if (cart.status !== 'open') throw cartNotOpen()
  return { merchantId, cartId: cart.id, storeId: cart.storeId }
}

interface Wish {
  held: readonly Held[]
  removed: readonly string[]
  added: readonly Added[]
}

async function judge({ tx }: Change, { merchantId, storeId }: OpenCart, wish: Wish): Promise<Held[]> {
  // A text that is no id of ours names no product.
  const added = wish.added.map((item) => ({ ...item, productId: uuidOf(item.productId) ?? '' }))
  const productIds = added.flatMap(({ productId }) => productId || [])
  const sold = await store.listInventory(tx, { merchantId, storeId, productIds })
  const inventory = new Map(sold.map(({ id, inventory }) => [id, inventory]))
  const lines = changeLines({ ...wish, added, inventory })
  if ('reason' in lines) throw errorOf(lines)
  return lines
}

function errorOf(refusal: CartRefusal): PublicError {
  const { path } = refusal
  switch (refusal.reason) {
    case 'no_product':
      return productNotFound({ details: { [path]: 'names no product that the merchant sells' } })
    case 'too_many_pieces':
      return invalidQuantity({ details: { [path]: `must leave at most ${refusal.most} in the cart` } })
    case 'too_many_lines':
      return fieldErrors({ [path]: `must not make the cart longer than ${MAX_CART_LINES} lines` })
  }
}

async function putLines({ tx }: Change, { merchantId, cartId }: OpenCart, lines: readonly Held[]): Promise<void> {
  if (lines.length === 0) return
  await store.upsertLines(tx, {
    merchantId,
    cartId,
    productIds: lines.map(({ productId }) => productId),
    places: lines.map(({ place }) => place),
    quantities: lines.map(({ quantity }) => quantity),
  })
}

async function getView({ tx }: Change, { merchantId, cartId }: OpenCart): Promise<CartView> {
  const view = await findView(tx, { merchantId, cartId, customerId: null })
  if (view === undefined) throw new Error('A cart that was just written is not there.')
  return view
}

function restsUntil({ cartDays }: CartDeps, at: Date): Date {
  return addSeconds(at, cartDays * DAY_SECONDS)
}
