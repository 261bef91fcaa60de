import { OWNER_OF_AGENT } from '../agents/fragments.ts'
import {
  INSERT_CHARGE,
  INSERT_CHARGE_OF_AGENT,
  INSERT_QUOTED_CHARGE,
  INSERT_QUOTED_CHARGE_OF_AGENT,
} from '../charges/new-purchase-fragments.ts'
import { CLAIM_QUOTE, HOLD_QUOTE } from '../checkout/quotes/fragments.ts'
import { ADD_CUSTOMER, KNOWN_AS_GIVEN, KNOWN_CUSTOMER, UPSERT_CUSTOMER } from '../customers/fragments.ts'
import { nullable, oneOf, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { AUTHORIZE_ENROLLMENT, ENROLL_REFUSALS, INSERT_ENROLLMENT } from '../enrollment/fragments.ts'
import { INSERT_AGENT_MANDATE, INSERT_STANDING_MANDATE } from '../mandates/setup-fragments.ts'
import {
  AUTHORIZE,
  AUTHORIZE_AGENT,
  AUTHORIZE_PLAIN,
  AUTHORIZE_QUOTED,
  AUTHORIZE_QUOTED_AGENT,
  CREATED,
} from './create-fragments.ts'

/** Why a session is not created, in the order in which the reasons are looked at. */
const CREATE_REFUSALS = [
  'MERCHANT_LOOKUP_ERROR',
  'CONFIG_ERROR',
  'CARD_NOT_FOUND',
  'CARD_INACTIVE',
  'QUOTE_ALREADY_USED',
  'TRIES_EXHAUSTED',
  'AGENT_REVOKED',
] as const
export type CreateRefusal = (typeof CREATE_REFUSALS)[number]

/** Creates customer and purchase together, or returns why not and leaves no trace. */
export const insertPayment = one(
  'sessions.insert_payment',
  `with ${KNOWN_CUSTOMER}, ${AUTHORIZE}, ${UPSERT_CUSTOMER}, session as (${INSERT_CHARGE}) ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** The same in the common case, of which there are most: none means that `insertPayment` must decide. */
export const insertPlainPayment = one(
  'sessions.insert_plain_payment',
  `with ${KNOWN_AS_GIVEN}, ${AUTHORIZE_PLAIN}, ${ADD_CUSTOMER} ${INSERT_CHARGE}`,
  { customerId: text },
)

/** The same for what a quote describes, which the session claims: both are there then, or neither. */
export const insertQuotedPayment = one(
  'sessions.insert_quoted_payment',
  `with ${KNOWN_CUSTOMER}, ${HOLD_QUOTE}, ${AUTHORIZE_QUOTED}, ${UPSERT_CUSTOMER}, session as (${INSERT_QUOTED_CHARGE}),
   ${CLAIM_QUOTE} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** Creates customer and pending mandate with its session together, or returns why not and leaves no trace. */
export const insertSetup = one(
  'sessions.insert_setup',
  `with ${KNOWN_CUSTOMER}, ${AUTHORIZE}, ${UPSERT_CUSTOMER}, ${INSERT_STANDING_MANDATE} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** As `insertPayment`, of what an agent asks its owner for. */
export const insertAgentPayment = one(
  'sessions.insert_agent_payment',
  `with ${OWNER_OF_AGENT}, ${AUTHORIZE_AGENT}, session as (${INSERT_CHARGE_OF_AGENT}) ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** As `insertQuotedPayment`, of what an agent asks its owner for. */
export const insertQuotedAgentPayment = one(
  'sessions.insert_quoted_agent_payment',
  `with ${OWNER_OF_AGENT}, ${HOLD_QUOTE}, ${AUTHORIZE_QUOTED_AGENT}, session as (${INSERT_QUOTED_CHARGE_OF_AGENT}),
   ${CLAIM_QUOTE} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** As `insertSetup`, of what an agent asks its owner for. */
export const insertAgentSetup = one(
  'sessions.insert_agent_setup',
  `with ${OWNER_OF_AGENT}, ${AUTHORIZE_AGENT}, ${INSERT_AGENT_MANDATE} ${CREATED}`,
  { refusal: nullable(oneOf(CREATE_REFUSALS)), customerId: nullable(text) },
)

/** Creates customer and enrollment together, or returns why not and leaves no trace. */
export const insertEnrollment = one(
  'sessions.insert_enrollment',
  `with ${KNOWN_CUSTOMER}, ${AUTHORIZE_ENROLLMENT}, ${UPSERT_CUSTOMER}, ${INSERT_ENROLLMENT}
   select (select code from refusal) as refusal, (select customer_id from session) as customer_id`,
  { refusal: nullable(oneOf(ENROLL_REFUSALS)), customerId: nullable(text) },
)
