import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, WalletCaller } from '../../../test/service.ts'
import type { RouteExample } from '../../http/testing/table-walk.ts'
import { NEW_ADDRESS_EXAMPLE, NEW_CUSTOMER_EXAMPLE } from '../customers/examples.ts'

let made = 0

/** The body of a customer whose email no other customer has. */
export function customerBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1
  return { ...NEW_CUSTOMER_EXAMPLE, email: `customer-${made}@example.com`, ...changes }
}

export const addressBody = (changes: Record<string, unknown> = {}) => ({ ...NEW_ADDRESS_EXAMPLE, ...changes })

/** A new customer's id. */
export async function createCustomer(wallet: WalletCaller, changes: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await wallet.post('/v1/customers', customerBody(changes))
  expect(status).toBe(201)
  return body.data.id
}

/** A new address of a customer. */
export async function addAddress(wallet: WalletCaller, customerId: string): Promise<string> {
  const { status, body } = await wallet.post(`/v1/customers/${customerId}/address`, addressBody())
  expect(status).toBe(201)
  return body.data.address_id
}

/** An error in the envelope of the wallet API. */
export function expectWalletError({ status, headers, body }: Answer, expected: number, code: string): void {
  expect({ status, body }).toEqual({
    status: expected,
    body: {
      error: {
        code,
        message: expect.any(String),
        request_id: headers.get('x-response-id'),
        ...(code === 'VALIDATION_ERROR' && { details: expect.any(Object) }),
      },
    },
  })
}

interface Callers {
  merchant: { wallet: WalletCaller }
  other: { wallet: WalletCaller }
}

/** A call that names a customer: one of the caller's own, another merchant's, none. */
export async function customerExample({ merchant, other }: Callers, body?: unknown): Promise<RouteExample> {
  const named = (customerId: string) => ({ params: { customerId }, ...(body !== undefined && { body }) })
  const [own, theirs] = [await createCustomer(merchant.wallet), await createCustomer(other.wallet)]
  return { own: named(own), foreign: { theirs: named(theirs), nobodys: named(randomUUID()), status: 404 } }
}

/** For the walk of the table. */
export function customerExamples(callers: Callers): Record<string, () => RouteExample | Promise<RouteExample>> {
  return {
    createCustomer: () => ({ own: { body: customerBody() }, foreign: 'Creates; names nothing that exists.' }),
    listCustomers: async () => ({
      own: { query: { before: await createCustomer(callers.merchant.wallet) } },
      foreign: 'Lists the caller’s own. Of `before` only the time counts that is in the id.',
    }),
    getCustomer: () => customerExample(callers),
    addAddress: () => customerExample(callers, addressBody()),
    listAddresses: () => customerExample(callers),
    verifyCustomer: () => customerExample(callers),
    rejectCustomer: () => customerExample(callers),
  }
}
