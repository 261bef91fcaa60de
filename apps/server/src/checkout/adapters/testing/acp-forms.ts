import { type TProperties, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * What requests of the Agentic Commerce Protocol 2026-04-17 may hold, written down from reading its specification:
 * closed objects, as there. Only members that we send are listed; a member that is not listed is an error of the
 * adapter.
 */

const closed = <T extends TProperties>(members: T) => Type.Object(members, { additionalProperties: false })
const { Optional, Integer, Literal } = Type
const Text = Type.String({ minLength: 1 })
const Currency = Type.String({ pattern: '^[a-z]{3}$' })

const Address = closed({
  name: Text,
  line_one: Text,
  city: Text,
  state: Type.String(),
  country: Text,
  postal_code: Text,
})
const FulfillmentDetails = closed({
  name: Text,
  phone_number: Optional(Text),
  email: Optional(Text),
  address: Address,
})

/** By method and path, without what names a session. */
export const ACP_FORMS = {
  'POST /checkout_sessions': Compile(
    closed({
      line_items: Type.Array(closed({ id: Text }), { minItems: 1 }),
      currency: Currency,
      capabilities: closed({ interventions: closed({ supported: Type.Array(Text) }) }),
      buyer: Optional(closed({ email: Text, full_name: Optional(Text) })),
      fulfillment_details: Optional(FulfillmentDetails),
    }),
  ),
  'POST /checkout_sessions/{id}': Compile(
    closed({
      selected_fulfillment_options: Type.Array(
        closed({
          type: Type.Union([Literal('shipping'), Literal('digital')]),
          option_id: Text,
          item_ids: Type.Array(Text, { minItems: 1 }),
        }),
      ),
    }),
  ),
  'POST /checkout_sessions/{id}/complete': Compile(
    closed({
      payment_data: closed({
        handler_id: Text,
        instrument: closed({ type: Literal('card'), credential: closed({ type: Literal('spt'), token: Text }) }),
      }),
    }),
  ),
  'POST /checkout_sessions/{id}/cancel': Compile(closed({})),
  'POST /agentic_commerce/delegate_payment': Compile(
    closed({
      payment_method: closed({
        type: Literal('card'),
        card_number_type: Literal('fpan'),
        virtual: Literal(true),
        number: Type.String({ pattern: '^\\d{12,19}$' }),
        exp_month: Type.String({ pattern: '^(0[1-9]|1[0-2])$' }),
        exp_year: Type.String({ pattern: '^\\d{4}$' }),
        cvc: Type.String({ pattern: '^\\d{3,4}$' }),
        display_card_funding_type: Literal('credit'),
        metadata: closed({}),
      }),
      allowance: closed({
        reason: Literal('one_time'),
        max_amount: Integer({ minimum: 1 }),
        currency: Currency,
        checkout_session_id: Text,
        merchant_id: Type.String({ minLength: 1, maxLength: 256 }),
        expires_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$' }),
      }),
      risk_signals: Type.Array(Type.Unknown(), { maxItems: 0 }),
      metadata: closed({ handler_id: Text, checkout_session_id: Text }),
    }),
  ),
}
export type AcpForm = keyof typeof ACP_FORMS

/** The form of a request, by its path without the shop's base. Undefined: a request without a body. */
export function formOf(method: string, path: string): AcpForm | undefined {
  const form = `${method} ${path.replace(/^\/checkout_sessions\/[^/]+/, '/checkout_sessions/{id}')}`
  return Object.hasOwn(ACP_FORMS, form) ? (form as AcpForm) : undefined
}
