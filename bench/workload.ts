import { createPrivateKey } from 'node:crypto'
import { signRequest } from '@mintmark/node'

/** An agent that signs its requests; its key is PKCS #8 in PEM. */
export interface Signer {
  readonly keyId: string
  readonly privateKey: string
}

/** One operation as a load generator plays it: what varies from request to request is written out beforehand. */
export interface Workload {
  readonly method: 'GET' | 'POST'
  /** A key of a merchant; or agents, each of which signs what falls to it in turn, as the paths do. */
  readonly authorization: string | readonly Signer[]
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

/** `count` requests of a workload, for this server. Users differ between calls, processes and requests. */
export function requestsOf(workload: Workload, count: number, url: string): Request[] {
  const { method, authorization, paths, body: template } = workload
  const batch = `${process.pid}-${performance.now()}`
  const proofOf = typeof authorization === 'string' ? () => ({ authorization }) : signedBy(authorization, method, url)
  return Array.from({ length: count }, (_, index) => {
    const path = paths[index % paths.length] ?? '/'
    if (template === null) return { method, path, headers: proofOf(index, path) }
    const body = template.replace(USER_PLACEHOLDER, `user-${batch}-${index}`)
    return { method, path, headers: { ...proofOf(index, path, body), 'content-type': 'application/json' }, body }
  })
}

/** Signed beforehand: a signature lives five minutes, and no run is as long. */
function signedBy(signers: readonly Signer[], method: string, url: string) {
  const keys = signers.map(({ keyId, privateKey }) => ({ keyId, privateKey: createPrivateKey(privateKey) }))
  return (index: number, path: string, body?: string): Record<string, string> => {
    const signer = keys[index % keys.length]
    if (signer === undefined) throw new Error('Nobody signs.')
    return { ...signRequest({ method, url: url + path, ...(body !== undefined && { body }) }, signer) }
  }
}
