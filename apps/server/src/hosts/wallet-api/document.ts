import type { Environment } from '@mintmark/contract'
import type { ApiDocumentInfo } from '../../http/openapi.ts'

/** What the description of the wallet API says of it as a whole. */
export function walletApiDocument(config: { walletApiUrl: string; environment: Environment }): ApiDocumentInfo {
  const { walletApiUrl: url, environment } = config
  return {
    title: 'Mintmark Wallet API',
    version: '1.0.0',
    summary: 'Customers with wallets, carts of products, and orders that are paid from a wallet.',
    description: DESCRIPTION,
    contact: { name: 'The operator of this deployment', url },
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    servers: [{ url, description: environment === 'sandbox' ? 'Sandbox' : 'Production' }],
    tags: {
      Customers: 'The people and businesses that buy, and their addresses.',
      Wallets: 'What a customer has to spend.',
      Merchants: 'Where customers buy: merchants by category, and their products.',
      Carts: 'What a customer is about to order of one merchant.',
      Orders: 'A cart that was paid from a wallet.',
      'Test helpers': 'Sandbox only: play the check of a customer.',
      Health: 'For load balancers and supervisors.',
    },
  }
}

const DESCRIPTION = `A backend creates a **customer**, whose **wallet** in USD is opened with it, puts products into a **cart**, and
pays the cart from the wallet as an **order**.

- Every call carries \`Api-Key\`. Keys of the main API open nothing here.
- Every change carries \`Idempotency-Key\`, a UUID. Sent again with the same key, path and body within 24 hours, a request takes effect
  once, and gets the first response again, byte for byte, with \`Idempotent-Replayed: true\`. So does one that was refused for what it
  asks; one that failed validation, was limited, came from a suspended account or failed on our side was not decided, and its key
  stays free.
- A success is \`{ "data", "meta" }\`, an error \`{ "error" }\`. \`request_id\` in both is the \`X-Response-ID\` of the response.
- Lists take \`page\` and \`page_size\`, and say in \`meta.pagination\` what there is.
- Money is a decimal string, such as \`"40.00"\`. Times are ISO 8601 in UTC. Ids are UUIDs.`
