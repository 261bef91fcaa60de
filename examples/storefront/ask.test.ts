// Guarantee: whatever becomes of the connection, the page's question to the shop ends, with words for the customer.
import { afterEach, expect, test, vi } from 'vitest'
import { ask } from './public/dom.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test.each([undefined, { items: [] }])('a connection that is silent is given up: %j', async (body) => {
  const patience = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(patience.signal)
  const silent = (_path: string, { signal }: RequestInit) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  vi.stubGlobal('fetch', vi.fn(silent))
  const asked = ask('/api/orders', body)
  patience.abort()
  await expect(asked).rejects.toThrow('The shop does not answer. Check your connection and try again.')
})

test.each([200, 502])('an answer of %i that is a page is no answer of the shop', async (status) => {
  vi.stubGlobal('fetch', async () => new Response('<!doctype html><title>Bad gateway</title>', { status }))
  await expect(ask('/api/catalog')).rejects.toThrow('The shop’s answer did not arrive. Try again.')
})
