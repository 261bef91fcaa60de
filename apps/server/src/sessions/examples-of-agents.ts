import type {
  AgentPaymentResult,
  AgentSessionList,
  CreateAgentSessionBody,
  CreateAgentSessionResponse,
} from '@mintmark/contract/wire/agent-sessions'
import type { RouteExample } from '../http/route.ts'

const SESSION = 'sess_4fz9w2r7c0m8k1q6t3x5v0n2hd'
const PAYMENT_URL = `https://pay.example.com/s/ma_9w2r7c0m8k1q6t3x5v0n2hd4fz/${SESSION}#k5v0n2hd4fz9w2r7c0m8k1q6t3`
const EXPIRES_AT = '2026-11-21T12:15:00.000Z'

export const AGENT_CREATE_EXAMPLE: RouteExample<CreateAgentSessionBody, CreateAgentSessionResponse> = {
  body: {
    ...{ total_amount: '40.00', currency: 'USD' },
    ...{ merchant_name: 'Tea House', merchant_url: 'https://tea.example', merchant_country: 'US' },
    products: [{ description: 'Green tea', unit_price: '20.00', quantity: 2 }],
  },
  response: {
    ...{ session_id: SESSION, payment_url: PAYMENT_URL, expires_at: EXPIRES_AT },
    approval: {
      ...{ url: PAYMENT_URL, expires_at: EXPIRES_AT },
      sentence:
        'Pantry gets a one-time card for up to $40.00, to pay Tea House (tea.example). It works only there, once, within 15 minutes of your approval. ' +
        'Your real card stays here.',
      merchant: { name: 'Tea House', url: 'https://tea.example', country: 'US' },
      amount: { value: '40.00', currency: 'USD' },
      lines: [{ description: 'Green tea', unit_price: '20.00', quantity: 2 }],
    },
  },
}

export const AGENT_RESULT_EXAMPLE: RouteExample<undefined, AgentPaymentResult> = {
  response: {
    ...{ session_id: SESSION, status: 'awaiting_result', txn_ref_id: 'tli_1q6t3x5v0n2hd4fz9w2r7c0m8k' },
    encrypted_payload: {
      ephemeral_public_key: 'Wp8ihVdXF6WDcapAsW5gUELggv39lZHa60rIFOse2SI',
      ...{ iv: 'cm_-k3gaupYA9-6a', auth_tag: 'fQ03soKAqOPbFSOF6DhwYQ' },
      data: '95Bf9jVxn88ddVkyAcQO_aMrZMmD68kcOozC8Xunu1NBuYSxQ1348vEvuXzDVDPLLTZAdTTZjAznAmtpeUSc4uwWfAoEvYSLtZJbDdU4IsILZEzbkRgPr7Hw9bJKuKGA',
    },
  },
}

export const AGENT_LIST_EXAMPLE: RouteExample<undefined, AgentSessionList> = {
  response: {
    sessions: [
      {
        ...{ session_id: SESSION, status: 'pending', amount: '40.00', currency: 'USD' },
        merchant: { name: 'Tea House', url: 'https://tea.example', country: 'US' },
        ...{ created_at: '2026-11-21T12:00:00.000Z', expires_at: EXPIRES_AT, payment_url: PAYMENT_URL },
        txn_ref_id: 'tli_1q6t3x5v0n2hd4fz9w2r7c0m8k',
      },
    ],
  },
}
