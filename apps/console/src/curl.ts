// Lines to copy. Each is the API's own way to the same act; the key is a placeholder, because no page has one.

const AUTHORIZED = '-H "Authorization: Bearer $KEY"'
const JSON_BODY = "-H 'Content-Type: application/json'"

/** What stands for the address of the API where the backend has not told it. */
const UNKNOWN_API = '$API'

interface Act {
  method?: 'POST' | 'PATCH'
  path: string
  body?: object
  /** The same request again does nothing more. */
  key?: string
}

/** One call as a shell takes it. */
export function curl(api: string | undefined, { method = 'POST', path, body, key }: Act): string {
  const parts = [
    `curl -X ${method} ${api ?? UNKNOWN_API}${path}`,
    AUTHORIZED,
    ...(key === undefined ? [] : [`-H 'Idempotency-Key: ${key}'`]),
    ...(body === undefined ? [] : [JSON_BODY, `-d ${quoted(readable(body))}`]),
  ]
  return parts.join(' \\\n  ')
}

/** What is long is read line by line. */
function readable(body: object): string {
  const line = JSON.stringify(body)
  return line.length <= LONGEST_BODY ? line : JSON.stringify(body, null, 2)
}

const LONGEST_BODY = 60

/** For a shell of POSIX: a single quote ends the text, stands escaped, and begins it again. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The first payment of the README. */
const FIRST_PAYMENT = {
  user_id: 'ann',
  user_email: 'ann@example.com',
  total_amount: '40.00',
  currency: 'USD',
  purchase_context: {
    custom: {
      merchant_details: { name: 'Tea House', url: 'https://tea.example', country_code_iso2: 'US' },
      product_details: [{ description: 'Green tea', unit_price: '20.00', quantity: 2 }],
    },
  },
}

const TRIGGER = 'npx mintmark trigger payment.succeeded'

export const LINES = {
  /** In the folder of a sandbox that was started there. */
  key: () => `KEY=$(node -p 'require("./.mintmark/dev.json").secret_key')`,
  session: (api: string | undefined) => curl(api, { path: '/v1/sessions', body: FIRST_PAYMENT }),
  permission: (api: string | undefined) =>
    curl(api, { path: '/v1/sessions', body: { ...FIRST_PAYMENT, mandate_setup: { recurring_frequency: 'monthly' } } }),
  approve: (api: string | undefined) => curl(api, { path: '/v1/test_helpers/sessions/$SESSION_ID/complete', body: {} }),
  invite: (account: string) => `bin/mintmark console invite EMAIL --account ${account} --role owner`,
  makeKey: (account: string) => `bin/mintmark key create ${account} --kind secret`,
  revokeKey: () => 'bin/mintmark key revoke KEY',
  listen: () => 'npx mintmark listen',
  trigger: () => TRIGGER,
  /** The receiver of the examples, which registers itself at a sandbox that may send to its own machine. */
  receive: () => `WEBHOOK_ALLOW_LOOPBACK=on npm start\nnpm run webhook-receiver\n${TRIGGER}`,
  endpoint: (api: string | undefined) =>
    curl(api, {
      path: '/v1/webhook-endpoints',
      key: 'endpoint-1',
      body: {
        name: 'Orders',
        url: 'https://shop.example/webhooks',
        events: ['payment.succeeded', 'payment.failed'],
      },
    }),
  verify: (api: string | undefined, id: string) => curl(api, { path: `/v1/webhook-endpoints/${id}/verify` }),
  enable: (api: string | undefined, id: string) =>
    curl(api, { method: 'PATCH', path: `/v1/webhook-endpoints/${id}`, body: { enabled: true } }),
  test: (api: string | undefined, id: string) =>
    curl(api, { path: `/v1/webhook-endpoints/${id}/test`, body: { type: 'payment.succeeded' } }),
  replay: (api: string | undefined, id: string, key: string) =>
    curl(api, { path: `/v1/webhook-deliveries/${id}/replay`, key }),
}
