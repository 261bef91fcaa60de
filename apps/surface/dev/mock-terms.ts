/** A DEVELOPMENT TOOL: the terms that the mock asks to approve. */
import { type Asked, readingOf, SENTENCE_VERSION, sentenceOf } from '@mintmark/contract/sentence'
import type { Adjustment, SurfaceMandate, SurfacePayment, SurfaceView } from '@mintmark/contract/wire/surface'
import { VISA } from './views.ts'

const OPERATOR = { operator: 'Northpay' }
const VALID_MINUTES = 10_080

const said = (asked: Asked) => ({
  ...{ version: SENTENCE_VERSION, language: 'en', locale: 'en', time_zone: null },
  text: sentenceOf(asked, readingOf(['en'])),
})

export function termsOf(view: SurfaceView): object {
  const { card_id: id, card_brand: brand, card_last4: last4 } = view.card ?? VISA
  return { version: 1, ...OPERATOR, ...ownTerms(view), card: { id, brand, last4 }, approve_by: view.expires_at }
}

function ownTerms(view: SurfaceView): object {
  switch (view.kind) {
    case 'payment':
      return { ...agentOf(view), ...paymentTerms(view.payment, view.agent) }
    case 'mandate_setup':
      return { ...agentOf(view), ...mandateTerms(view.mandate, view.agent) }
    case 'enrollment': {
      const { merchant_name } = view.enrollment
      const sentence = said({ type: 'enrollment', ...OPERATOR, payee: merchant_name })
      return { type: 'card_enrollment', merchant_name, sentence }
    }
  }
}

const agentOf = ({ agent }: SurfaceView) => (agent === null ? {} : { agent: { id: 'aa_mock', name: agent.name } })

function paymentTerms(
  { merchant_name: name, merchant_url: url, bought_here, ...payment }: SurfacePayment,
  agent: SurfaceView['agent'],
): object {
  const { amount, currency } = payment
  const one = { payee: name, payeeUrl: url, agent: agent?.name ?? null, amount, currency }
  return {
    ...payment,
    type: 'payment',
    payee: { name, url, country: 'US' },
    charges: 1,
    valid_minutes: VALID_MINUTES,
    quote_id: bought_here ? 'qte_mock' : null,
    sentence: said(
      bought_here ? { ...one, ...OPERATOR, type: 'quote' } : { ...one, type: 'payment', validMinutes: VALID_MINUTES },
    ),
  }
}

function mandateTerms(
  { merchant_name: name, merchant_url: url, ...mandate }: SurfaceMandate,
  agent: SurfaceView['agent'],
): object {
  const { recurring_frequency: frequency, adjustable: _, ...rest } = mandate
  const { amount, currency, valid_until } = mandate
  const sentence = said({
    ...{ type: 'mandate', payee: name, payeeUrl: url, agent: agent?.name ?? null, amount, currency, frequency },
    ...{ merchantScope: mandate.merchant_scope, maxCharges: mandate.max_charges, mostTotal: mandate.most_total },
    validUntil: valid_until === null ? null : new Date(valid_until),
  })
  return { ...rest, type: 'mandate', payee: { name, url, country: 'US' }, frequency, sentence }
}

const MONTH = 30.44 * 86_400_000

/** What is asked with the cardholder's own limits. The sum is of months alone, and near enough for a picture. */
export function adjusted(view: SurfaceView, { amount, valid_until }: Adjustment = {}): SurfaceView {
  if (view.kind !== 'mandate_setup' || (amount ?? valid_until) === undefined) return view
  const mandate = { ...view.mandate, ...(amount && { amount }), ...(valid_until && { valid_until }) }
  const months = mandate.valid_until === null ? 1 : Math.ceil((Date.parse(mandate.valid_until) - Date.now()) / MONTH)
  return { ...view, mandate: { ...mandate, most_total: (Number(mandate.amount) * months).toFixed(2) } }
}
