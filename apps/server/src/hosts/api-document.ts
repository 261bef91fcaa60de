import type { Environment } from '@mintmark/contract'
import type { ApiDocumentInfo } from '../http/openapi.ts'

/** What the description of the main API says of it as a whole. */
export function apiDocument({ apiUrl, environment }: { apiUrl: string; environment: Environment }): ApiDocumentInfo {
  return {
    title: 'Mintmark API',
    version: '1.0.0',
    summary: 'Single-use virtual card credentials, bounded by what a cardholder approved.',
    description: DESCRIPTION,
    contact: { name: 'The operator of this deployment', url: apiUrl },
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    servers: [{ url: apiUrl, description: environment === 'sandbox' ? 'Sandbox' : 'Production' }],
    tags: {
      Sessions: 'One purchase by one customer: create it, have it approved, read its result, report its outcome.',
      Catalog: 'What merchants have that the service can buy at by itself.',
      Quotes: 'What such a merchant wants for some of its products. A session can be built from one.',
      Cards: 'What a customer has enrolled. Never a number, only what may be shown.',
      'Card enrollment': 'Cards that are enrolled without a payment, with their cardholder or alone.',
      Mandates: 'Permissions to charge: what they allow, what is left of them, and their end.',
      Agents: 'Software that an owner has linked: its link, who it is, its keys and its limits.',
      Events: 'What happened, for 30 days, in an order that never changes.',
      Customers: 'What concerns a customer beyond one session.',
      Webhooks: 'Where events are sent: endpoints, their verification and their secrets.',
      'Test helpers': 'Sandbox only: play the cardholder and the acquirer, and move the clock.',
      Health: 'For load balancers and supervisors.',
    },
  }
}

const DESCRIPTION = `A merchant's backend creates a **session** for one purchase. The cardholder approves it with a passkey on the
secure surface at \`iframe_url\`. The backend polls the **payment result**, pays with the single-use card in it, and
**reports** the outcome. A session from a **quote** is paid by the service itself: nothing is left to pay or to report.

- A call carries \`Authorization: Bearer\` and a secret key (\`sk_…\`). Each operation says which other key it takes.
- Requests and responses are JSON in UTF-8. Unknown fields of a body are refused; \`details\` names every failing field.
- Money is a decimal string, such as \`"40.00"\`. Times are ISO 8601 in UTC.
- Every response carries \`X-Response-ID\`. Quote it when asking for support.
- \`HEAD\` answers wherever \`GET\` does.
- The [quickstart](/docs#tag/guides-quickstart) is the first hour. All guides are listed at [/llms.txt](/llms.txt).`
