/** A DEVELOPMENT TOOL: the terms that the mock asks to approve. */
import { readingOf, type Asked as Said, SENTENCE_VERSION, sentenceOf } from '@mintmark/contract/sentence'
import type { Adjustment, PaymentView, SurfaceMandate } from '@mintmark/contract/wire/surface'
import { type Answer, newId, refusal } from './answers.ts'
import { DEFAULT_ENROLLMENT } from './enrollment-scenarios.ts'
import { DEFAULT_PAYMENT, VISA, type ViewFields } from './scenarios.ts'
import { DEFAULT_MANDATE } from './setup-scenarios.ts'

interface Asked {
  view: ViewFields
  expiresAt: Date
  /** What the mandate says once it is allowed. */
  allowed: SurfaceMandate | null
}

export function approvalOptions(session: Asked, adjust: Adjustment | undefined): Answer {
  const { view } = session
  if (view.kind === 'enrollment') return asked(session, enrollmentTerms(view.enrollment))
  if (view.kind !== 'mandate_setup') return asked(session, paymentTerms((view as Partial<PaymentView>).payment))
  const mandate = adjusted(view.mandate ?? DEFAULT_MANDATE, adjust)
  if (typeof mandate === 'string') return refusal(400, 'VAL_2001', 'Too much.', { details: { [mandate]: 'too much' } })
  session.allowed = mandate
  return asked(session, mandateTerms(mandate))
}

const asked = ({ expiresAt }: Asked, terms: object): Answer => ({
  status: 200,
  body: {
    terms: {
      version: 1,
      ...OPERATOR,
      ...terms,
      card: { id: VISA.card_id, brand: VISA.card_brand, last4: VISA.card_last4 },
      approve_by: expiresAt.toISOString(),
    },
    options: {
      challenge: newId(),
      rpId: 'localhost',
      allowCredentials: [],
      userVerification: 'required',
      timeout: 300_000,
    },
  },
})

const OPERATOR = { operator: 'Northpay' }

const said = (asked: Said) => ({
  ...{ version: SENTENCE_VERSION, language: 'en', locale: 'en', time_zone: null },
  text: sentenceOf(asked, readingOf(['en'])),
})

function enrollmentTerms({ merchant_name } = DEFAULT_ENROLLMENT): object {
  return {
    type: 'card_enrollment',
    merchant_name,
    sentence: said({ type: 'enrollment', ...OPERATOR, payee: merchant_name }),
  }
}

function paymentTerms(payment: PaymentView['payment'] = DEFAULT_PAYMENT): object {
  const { merchant_name: name, merchant_url: url, bought_here, ...rest } = payment
  const quote_id = bought_here ? 'qte_mock' : null
  const { amount, currency } = payment
  const valid_until = bought_here ? null : new Date(Date.now() + 10_080 * 60_000)
  const one = { payee: name, payeeUrl: url, agent: null, amount, currency }
  const sentence = said(
    bought_here
      ? { ...one, type: 'quote', ...OPERATOR }
      : { ...one, type: 'payment', validMinutes: 10_080, validUntil: valid_until },
  )
  return {
    ...rest,
    type: 'payment',
    payee: { name, url, country: 'US' },
    charges: 1,
    valid_minutes: 10_080,
    valid_until,
    quote_id,
    sentence,
  }
}

function mandateTerms(mandate: SurfaceMandate): object {
  const { merchant_name: name, merchant_url: url, recurring_frequency: frequency, adjustable, ...rest } = mandate
  const { amount, currency, merchant_scope: merchantScope, max_charges: maxCharges, most_total: mostTotal } = mandate
  const sentence = said({
    ...{
      type: 'mandate',
      payee: name,
      payeeUrl: url,
      agent: null,
      amount,
      currency,
      frequency,
      merchantScope,
      maxCharges,
      mostTotal,
    },
    validUntil: mandate.valid_until === null ? null : new Date(mandate.valid_until),
  })
  return { ...rest, type: 'mandate', payee: { name, url, country: 'US' }, frequency, sentence }
}

/** The name of the field that asks for more than the merchant did, if one does. */
function adjusted(mandate: SurfaceMandate, { amount, valid_until }: Adjustment = {}): SurfaceMandate | string {
  if (amount !== undefined && Number(amount) > Number(mandate.amount)) return 'adjust.amount'
  if (valid_until !== undefined && valid_until > String(mandate.valid_until)) return 'adjust.valid_until'
  if (amount === undefined && valid_until === undefined) return mandate
  const changed = { ...mandate, amount: amount ?? mandate.amount, valid_until: valid_until ?? mandate.valid_until }
  return { ...changed, most_total: (Number(changed.amount) * timesOf(changed)).toFixed(2) }
}

const DAYS = { one_time: Number.POSITIVE_INFINITY, weekly: 7, monthly: 30.44, yearly: 365.25 }

/** Near enough for a picture. */
function timesOf({ recurring_frequency, valid_until, max_charges }: SurfaceMandate): number {
  const days = valid_until === null ? 1 : (Date.parse(valid_until) - Date.now()) / 86_400_000
  return Math.min(max_charges ?? Number.POSITIVE_INFINITY, Math.max(1, Math.ceil(days / DAYS[recurring_frequency])))
}
