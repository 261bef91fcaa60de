/** One operation as a load generator plays it: what varies from request to request is written out beforehand. */
export interface Workload {
  readonly method: 'GET' | 'POST'
  readonly authorization: string
  /** Taken in turn. */
  readonly paths: readonly string[]
  /** `{user}` becomes a new user. Null: no body. */
  readonly body: string | null
}

export const USER_PLACEHOLDER = '{user}'

/** The body of an ordinary checkout of one product. */
export const SESSION_BODY = JSON.stringify({
  user_id: USER_PLACEHOLDER,
  user_email: 'ann@example.com',
  total_amount: '40.00',
  currency: 'USD',
  purchase_context: {
    custom: {
      merchant_details: { name: 'Tea House', url: 'https://tea.example', country_code_iso2: 'US' },
      product_details: [{ description: 'Tea', unit_price: '40.00' }],
    },
  },
})

export interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body?: string
}

/** `count` requests of a workload. Users differ between calls, processes and requests. */
export function requestsOf(workload: Workload, count: number): Request[] {
  const { method, authorization, paths, body } = workload
  const batch = `${process.pid}-${performance.now()}`
  return Array.from({ length: count }, (_, index) => {
    const path = paths[index % paths.length] ?? '/'
    if (body === null) return { method, path, headers: { authorization } }
    const headers = { authorization, 'content-type': 'application/json' }
    return { method, path, headers, body: body.replace(USER_PLACEHOLDER, `user-${batch}-${index}`) }
  })
}
