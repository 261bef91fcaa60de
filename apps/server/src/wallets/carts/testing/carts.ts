import { command } from '../../../db/command.ts'
import { newUuid } from '../../../platform/ids.ts'
import type { StoreDeps } from '../../store/deps.ts'
import type { StoreWorld } from '../../store/testing/world.ts'
import type { CartRef } from '../ref.ts'
import * as store from '../store.ts'

/** An open cart with so many pieces of products, in their order; nothing is judged. */
export async function addCart(
  world: Pick<StoreWorld, 'database'> & { deps: StoreDeps },
  merchantId: string,
  customerId: string,
  pieces: Record<string, number>,
): Promise<CartRef> {
  const { rows } = await world.database.pool.query('select id from wallet_stores where merchant_id = $1', [merchantId])
  const cart = { merchantId, cartId: newUuid(), storeId: String(rows[0]?.id), customerId }
  await command(world.deps, { name: 'test.add_cart', silent: 'test_only' }, async ({ tx, at }) => {
    await store.insertCart(tx, { ...cart, at, abandonAt: new Date(at.getTime() + 30 * 86_400_000) })
    await store.upsertLines(tx, {
      merchantId,
      cartId: cart.cartId,
      productIds: Object.keys(pieces),
      places: Object.keys(pieces).map((_, place) => place),
      quantities: Object.values(pieces),
    })
  })
  return { merchantId, customerId, cartId: cart.cartId }
}
