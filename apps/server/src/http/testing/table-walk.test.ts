import { describeRouteTable } from './table-walk.ts'
import { perAddress, SECRET_KEY, startToyHost, TOY_ROUTES, toyDocument } from './toy-host.ts'

const INFO = toyDocument('Toys')

describeRouteTable({
  name: 'toy table',
  routes: TOY_ROUTES,
  start: async () => {
    const host = await startToyHost({ docs: { info: INFO, limit: perAddress } })
    const forOrder = (orderId: string) => ({ params: { orderId } })
    return {
      baseUrl: host.baseUrl,
      close: host.close,
      credentials: {
        toy_key: {
          working: `Bearer ${SECRET_KEY}`,
          refused: {
            'key of the other environment': 'Bearer sk_live_working',
            'publishable key': 'Bearer pk_test_working',
          },
        },
      },
      examples: {
        createOrder: () => ({ own: { body: { amount: '1.00' } }, foreign: 'Creates; names nothing that exists.' }),
        listOrders: () => ({ own: { query: { customer_id: 'c' } }, foreign: 'An unknown customer has an empty list.' }),
        cancelOrder: () => ({
          own: forOrder('ord_1'),
          foreign: { theirs: forOrder('ord_theirs'), nobodys: forOrder('ord_nobodys'), status: 404 },
        }),
        payOrder: () => ({
          own: { ...forOrder('ord_1'), body: { amount: '1.00' } },
          foreign: 'A toy that pays whatever is named.',
        }),
        fail: () => ({ own: forOrder('declared'), foreign: 'A toy that always fails.' }),
      },
    }
  },
})
