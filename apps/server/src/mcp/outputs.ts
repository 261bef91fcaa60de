import { SESSION_STATUSES } from '@mintmark/contract'
import { AGENT_SCOPES } from '@mintmark/contract/agents'
import { CreateAgentSessionResponse } from '@mintmark/contract/wire/agent-sessions'
import { AgentMe } from '@mintmark/contract/wire/agents'
import { dateTime } from '@mintmark/contract/wire/common'
import { Mandate, MandateDetail, MandateList } from '@mintmark/contract/wire/mandates'
import { PaymentResult } from '@mintmark/contract/wire/payment-result'
import { Quote } from '@mintmark/contract/wire/quotes'
import { oneOf, text } from '@mintmark/contract/wire/schema'
import { AUTHORIZE_ONLY, sessionId } from '@mintmark/contract/wire/sessions'
import { Type } from 'typebox'

// What tools answer with, where it is not what the API answers.

const { operations: _operations, key_thumbprint: _key, card_url: _card, ...ME } = AgentMe.properties

export const AgentOutput = Type.Object({
  ...ME,
  has_key: Type.Boolean({
    description: 'Whether you have a key: by it you charge your mandates and read your cards. Without one nobody does.',
  }),
  scopes: Type.Array(oneOf(AGENT_SCOPES), { description: 'What your token allows.' }),
})

const { merchant_res, error } = PaymentResult.properties

export const StandingOutput = Type.Object({
  session_id: sessionId,
  status: oneOf(SESSION_STATUSES, { description: 'How it stands.' }),
  ...AUTHORIZE_ONLY,
  merchant_res,
  error,
})

export const AddressesOutput = Type.Object({
  addresses: Type.Array(Type.Object({}), { description: 'None yet.' }),
  count: Type.Integer({ minimum: 0, description: 'How many they are.' }),
})

/** What can charge a mandate, as the agent that asks is told. */
export const CHARGERS = ['your_key', 'nobody'] as const
const CHARGEABLE = {
  chargeableBy: oneOf(CHARGERS, {
    description:
      '`your_key`: you, by a request that your key signs, while `state` is `available`. `nobody`: it was made for one purchase, has ended, ' +
      'or you have no key.',
  }),
}

export const MandateOutput = Type.Object({ ...Mandate.properties, ...CHARGEABLE })
export const MandateDetailOutput = Type.Object({ ...MandateDetail.properties, ...CHARGEABLE })
export const MandatesOutput = Type.Object({
  mandates: Type.Array(MandateOutput, { description: 'Newest first.' }),
  next_cursor: MandateList.properties.next_cursor,
})

const { authorizeOnly: _only, mandate_id } = AUTHORIZE_ONLY
const ASKED = {
  status: Type.Literal('pending', { description: 'Your owner has not answered.' }),
  session_id: sessionId,
  expires_at: dateTime('When the owner can no longer approve.'),
  approval_url: text('Where the owner approves. Give it to your owner exactly as it is, and to nobody else.'),
  next: text('What to do now.'),
}

/** A client that opens pages is asked by one, and its result is how the session stands when it comes back. */
export const AskedOutput = Type.Union([
  Type.Object({ ...ASKED, mandate_id, approval: CreateAgentSessionResponse.properties.approval }),
  StandingOutput,
])

export const CheckoutOutput = Type.Union([
  Type.Object({
    ...ASKED,
    approval: Type.Object({
      expires_at: ASKED.expires_at,
      sentence: text('What the owner is asked for, as it is signed. Show it as it is.'),
      quote: Quote,
    }),
  }),
  StandingOutput,
])

/** A refusal of any tool, beside `isError`, as the API has it. */
export const RefusedOutput = Type.Object({
  error: Type.Object({
    code: Type.String(),
    message: Type.String(),
    details: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
})
