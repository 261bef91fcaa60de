import { type Static, Type } from 'typebox'
import { SESSION_STATUSES } from '../states.ts'
import { EncryptedPayload } from './agent-payload.ts'
import { Amount, CountryCode, CurrencyCode, dateTime, displayName, httpsUrl } from './common.ts'
import { NextCursor, PAGE_QUERY } from './page.ts'
import { ErrorFact } from './payment-result.ts'
import { about, oneOf, STRICT, text } from './schema.ts'
import { AUTHORIZE_ONLY, MandateSetup, Product, sessionId } from './sessions.ts'

export const CreateAgentSessionBody = Type.Object(
  {
    total_amount: about('What is to be paid; with `mandate_setup` the cap.', Amount),
    currency: CurrencyCode,
    merchant_name: displayName(255, 'The shop, as the owner knows it.', 'Tea House'),
    merchant_url: httpsUrl('Address of the shop. The credential works at its host only.', 'https://tea.example'),
    merchant_country: about('Where the shop is.', CountryCode),
    products: Type.Array(Product, { minItems: 1, maxItems: 500, description: 'What is bought.' }),
    mandate_setup: Type.Optional(MandateSetup),
  },
  {
    ...STRICT,
    title: 'CreateAgentSessionRequest',
    description: 'One purchase, or a standing mandate, for the owner to approve.',
  },
)
export type CreateAgentSessionBody = Static<typeof CreateAgentSessionBody>

const AgentMerchant = Type.Object(
  { name: text('Its name.', 'Tea House'), url: text('Its address.'), country: text('Where it is.', 'US') },
  { title: 'ApprovalMerchant', description: 'The shop.' },
)

const Approval = Type.Object(
  {
    url: text('Where the owner approves: `payment_url`.'),
    expires_at: dateTime('Until when.'),
    sentence: text(
      'What the owner is asked for, as it is signed. Show it as it is.',
      'Pantry gets a one-time card for up to $40.00, to pay Tea House (tea.example). It works only there, once, within 15 minutes of your approval. ' +
        'Your real card stays here.',
    ),
    merchant: AgentMerchant,
    amount: Type.Object(
      { value: text('A decimal text.', '40.00'), currency: text('ISO 4217.', 'USD') },
      { title: 'ApprovalAmount', description: 'How much.' },
    ),
    lines: Type.Array(
      Type.Object(
        {
          description: text('What.', 'Green tea'),
          unit_price: text('The price of one.', '20.00'),
          quantity: Type.Integer({ description: 'How many.' }),
        },
        { title: 'ApprovalLine', description: 'One line.' },
      ),
      { description: 'What is bought.' },
    ),
  },
  { title: 'AgentApproval', description: 'What a chat can show, without rebuilding it.' },
)

export const CreateAgentSessionResponse = Type.Object(
  {
    session_id: sessionId,
    payment_url: text('Where the owner approves. Give it to your owner exactly as it is, and to nobody else.'),
    expires_at: dateTime('When the owner can no longer approve.'),
    ...AUTHORIZE_ONLY,
    approval: Approval,
  },
  { title: 'AgentSession', description: 'A new session, and what to show of it.' },
)
export type CreateAgentSessionResponse = Static<typeof CreateAgentSessionResponse>

export const AgentPaymentResult = Type.Object(
  {
    session_id: sessionId,
    status: oneOf(SESSION_STATUSES, { title: 'SessionStatus', description: 'How the session stands.' }),
    ...AUTHORIZE_ONLY,
    txn_ref_id: Type.Optional(
      Type.String({
        description: 'What the report names; of a payment.',
        examples: ['tli_1q6t3x5v0n2hd4fz9w2r7c0m8k'],
      }),
    ),
    encrypted_payload: Type.Optional(EncryptedPayload),
    error: Type.Optional(ErrorFact),
  },
  {
    title: 'AgentPaymentResult',
    description: 'How a session stands. The payload is there only while the result is awaited.',
  },
)
export type AgentPaymentResult = Static<typeof AgentPaymentResult>

export const ListAgentSessionsQuery = Type.Object(PAGE_QUERY, STRICT)
export type ListAgentSessionsQuery = Static<typeof ListAgentSessionsQuery>

export const AgentSessionStanding = Type.Object(
  {
    session_id: sessionId,
    status: oneOf(SESSION_STATUSES, { title: 'SessionStatus', description: 'How the session stands.' }),
    ...AUTHORIZE_ONLY,
    amount: text('What was asked for.', '40.00'),
    currency: text('Of the amount.', 'USD'),
    merchant: AgentMerchant,
    created_at: dateTime('When it was asked for.'),
    expires_at: dateTime('Until when the owner can approve, or could.'),
    payment_url: Type.Optional(
      Type.String({
        description: 'While the owner can approve: where, as it was answered first. Give it to nobody else.',
      }),
    ),
    txn_ref_id: Type.Optional(Type.String({ description: 'What the report names; of a payment.' })),
    error: Type.Optional(ErrorFact),
  },
  { title: 'AgentSessionStanding', description: 'One session that the agent has asked for, with nothing to pay with.' },
)
export type AgentSessionStanding = Static<typeof AgentSessionStanding>

export const AgentSessionList = Type.Object(
  { sessions: Type.Array(AgentSessionStanding, { description: 'Newest first.' }), next_cursor: NextCursor },
  { title: 'AgentSessionList', description: 'A page of sessions.' },
)
export type AgentSessionList = Static<typeof AgentSessionList>
