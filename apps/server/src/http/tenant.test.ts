import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { currentTenant } from '../platform/bounds.ts'
import { open } from './credential.ts'
import { route } from './route.ts'
import { perAddress, SECRET_KEY, startToyHost, toyKey } from './testing/toy-host.ts'

test('what a request waits for is known to be for the account of its caller, before and after its body', async () => {
  const row = {
    summary: 'Whose it is',
    tag: 'Toys',
    limit: perAddress,
    status: 200,
    errors: [],
    response: Type.Object({ tenant: Type.String() }),
    handler: async () => ({ tenant: currentTenant() ?? 'nobody' }),
  } as const
  const body = Type.Object({}, { additionalProperties: false })
  const toy = await startToyHost({
    routes: [
      route({ ...row, auth: [toyKey], method: 'GET', path: '/own', operationId: 'look' }),
      route({ ...row, auth: [toyKey], method: 'POST', path: '/own', operationId: 'tell', body }),
      route({ ...row, auth: open('A toy.'), method: 'GET', path: '/open', operationId: 'open' }),
    ],
  })
  const whose = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' }
    const response = await fetch(toy.baseUrl + path, { ...init, headers })
    return ((await response.json()) as { tenant: string }).tenant
  }
  try {
    const answers = [await whose('/own'), await whose('/own', { method: 'POST', body: '{}' }), await whose('/open')]
    expect(answers).toEqual(['shop_toy', 'shop_toy', 'nobody'])
  } finally {
    await toy.close()
  }
})
