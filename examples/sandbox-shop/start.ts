import type { IncomingMessage } from 'node:http'
import { pictureOf } from './catalog/pictures.ts'
import { findProduct } from './catalog/products.ts'
import { listen, type Reply } from './http/listen.ts'
import { nativeApi } from './native/routes.ts'
import { catalogPage, lostPage, orderPage } from './page.ts'
import { openShop, type Protocol, type Shop, type ShopOptions } from './shop.ts'

const SWEEP_MILLIS = 5_000
const HTML = 'text/html; charset=utf-8'

/**
 * A shop that Mintmark buys at: catalog, quotes, checkouts, orders. Programs ask at /api, people at `/`.
 */
export async function startShop(options: ShopOptions & { port?: number }, protocol?: Protocol) {
  const shop = openShop(options, protocol)
  const sweeping = setInterval(() => shop.sweep(), SWEEP_MILLIS).unref()
  const closeShop = () => {
    clearInterval(sweeping)
    return shop.close()
  }
  let origin = ''
  try {
    const listener = await listen((request, url) => answer(shop, request, url, origin), options.port ?? 0)
    origin = listener.url
    return { url: origin, close: () => listener.close().then(closeShop) }
  } catch (error) {
    await closeShop()
    throw error
  }
}

async function answer(shop: Shop, request: IncomingMessage, url: URL, origin: string): Promise<Reply> {
  if (url.pathname.startsWith('/api/')) return nativeApi(shop, request, url, origin)
  const answered = shop.answer?.(request, url, origin)
  if (answered !== undefined) return answered
  if (request.method === 'GET' && url.pathname === '/') {
    return { status: 200, type: HTML, body: catalogPage((variantId) => shop.stock.available(variantId)) }
  }
  const [, orderId = ''] = /^\/orders\/(ord_[0-9a-f]{24})$/.exec(url.pathname) ?? []
  const order = request.method === 'GET' ? shop.order(orderId) : undefined
  if (order !== undefined) return { status: 200, type: HTML, body: orderPage(order) }
  const [, picture] = /^\/pictures\/([a-z0-9-]+)\.svg$/.exec(url.pathname) ?? []
  const product = picture === undefined ? undefined : findProduct(picture)
  if (request.method === 'GET' && product !== undefined) {
    const headers = { 'cache-control': 'public, max-age=3600' }
    return { status: 200, type: 'image/svg+xml', headers, body: pictureOf(product) }
  }
  if (/\btext\/html\b/.test(request.headers.accept ?? '')) return { status: 404, type: HTML, body: lostPage() }
  return { status: 404, body: { error: { code: 'not_found', message: 'There is nothing here.' } } }
}
