/** The calls a shop's backend makes. The secret key stays here; the browser sees an iframe address and nothing else. */
export interface MintmarkAccount {
  api_url: string
  surface_url: string
  secret_key: string
  /** For the page. */
  publishable_key: string
}

/** What the page needs of a session is `iframe_url` and `session_token`. */
export interface Session {
  session_id: string
  session_token: string
  iframe_url: string
  expires_at: string
}

export interface LineItem {
  txn_ref_id: string
  merchant_url: string
  total_amount: string
  token: string | null
  dynamic_cvv: string | null
  expiry_month: string | null
  expiry_year: string | null
}

export interface PaymentResult {
  status: 'pending' | 'processing' | 'awaiting_result' | 'completed' | 'failed'
  transactions: { line_items: LineItem[] }[]
  error?: { code: string; message: string }
}

export interface Authorization {
  approved: boolean
  response_code: string
  authorization_code?: string
}

/** The service did not answer: it may not run, or the network is gone. Asking again is the remedy. */
export class ServiceUnreachable extends Error {
  override name = 'ServiceUnreachable'
}

export function createMintmark(account: MintmarkAccount) {
  async function call<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const response = await fetch(account.api_url + path, {
      method,
      headers: {
        authorization: `Bearer ${account.secret_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    }).catch((cause: unknown) => {
      throw new ServiceUnreachable(`No answer from ${account.api_url}.`, { cause })
    })
    const answer = (await response.json()) as T & { error?: { code: string; message: string } }
    if (!response.ok) {
      const reference = response.headers.get('x-response-id')
      throw new Error(`${answer.error?.code}: ${answer.error?.message} (response ${reference})`)
    }
    return answer
  }
  return {
    createSession: (body: unknown) => call<Session>('POST', '/v1/sessions', body),
    paymentResult: (sessionId: string) => call<PaymentResult>('GET', `/v1/sessions/${sessionId}/payment-result`),
    /** In production this is the shop's own payment provider, given the virtual card like any other card. */
    authorize: (item: LineItem, currency: string) =>
      call<Authorization>('POST', '/v1/test_helpers/authorizations', {
        token: item.token,
        dynamic_cvv: item.dynamic_cvv,
        expiry_month: item.expiry_month,
        expiry_year: item.expiry_year,
        amount: item.total_amount,
        currency,
        merchant_url: item.merchant_url,
      }),
    report: (sessionId: string, item: LineItem, authorization: Authorization) =>
      call<unknown>('POST', `/v1/sessions/${sessionId}/report-status`, {
        txn_ref_id: item.txn_ref_id,
        txn_status: authorization.approved ? 'APPROVED' : 'DECLINED',
        response_code: authorization.response_code,
        ...(authorization.authorization_code === undefined
          ? {}
          : { authorization_code: authorization.authorization_code }),
      }),
  }
}

export type Mintmark = ReturnType<typeof createMintmark>
