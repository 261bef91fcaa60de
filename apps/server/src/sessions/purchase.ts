import type { CreateSessionBody, CustomPurchase } from '@mintmark/contract/wire/sessions'
import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { amountFromMinor, amountProblem, minorFromAmount } from '../platform/money.ts'
import { networkSafeName } from './network-name.ts'

/** One purchase by one customer, as a merchant asks for it. */
export interface Purchase {
  customer: { userId: string; email: string; phone: string | null; country: string | null }
  amountMinor: bigint
  currency: string
  payee: { name: string; url: string; country: string; categoryCode: string | null; category: string | null }
  products: PurchasedProduct[]
  /** How long the approval may be charged once it is given. */
  effectiveMinutes: number
  integrationType: 'full_checkout' | 'embedding'
  callbackUrl: string | null
  description: string | null
  externalOrderRef: string | null
  /** The preselected card: at most one of the two. */
  cardId: string | null
  vaultRecordId: string | null
}

export interface PurchasedProduct {
  externalId: string | null
  name: string
  /** As the wire shows it, `"40.00"`. */
  unitPrice: string
  quantity: number
}

/** What a session is created for: a purchase that the body describes, or one that a quote does, or a standing mandate. */
export type SessionRequest =
  | { mode: 'custom'; purchase: Purchase; simulated: boolean }
  | { mode: 'quote'; quoteId: string; simulated: boolean }
  | { mode: 'mandate_setup'; simulated: boolean }

/** The body of a creation, parsed once. Throws `VAL_2001` with every failing field that the schema cannot see. */
export function fromWireCreate(body: CreateSessionBody, now: Date): SessionRequest {
  const context = fromWireContext(body.purchase_context)
  const problems: ErrorDetails = {}
  const money = (path: string, text: string): bigint => {
    const problem = amountProblem(text, body.currency)
    if (problem === null) return minorFromAmount(text)
    problems[path] = problem
    return 0n
  }
  const amountMinor = money('total_amount', body.total_amount)
  const custom = context.mode === 'custom' ? fromWireCustom(context, money, problems) : null
  const setup = body.mandate_setup?.intent === 'checkout' ? undefined : body.mandate_setup
  if (setup?.valid_until !== undefined && setup.recurring_frequency !== 'one_time') {
    if (new Date(setup.valid_until) <= now) problems['mandate_setup.valid_until'] = 'must lie in the future'
  }
  if (Object.keys(problems).length > 0) throw fieldErrors(problems)
  const simulated = body.sandbox_simulation !== undefined
  if (setup !== undefined) return { mode: 'mandate_setup', simulated }
  if (context.mode === 'quote') return { ...context, simulated }
  if (custom === null) throw new TypeError('A custom context has a custom purchase.')
  return { mode: 'custom', purchase: { ...fromWireCommon(body), amountMinor, ...custom }, simulated }
}

function fromWireCommon(body: CreateSessionBody) {
  return {
    customer: {
      userId: body.user_id,
      email: body.user_email,
      phone: body.user_phone ?? null,
      country: body.user_country_code_iso2 ?? null,
    },
    currency: body.currency,
    integrationType: body.integration_type ?? 'full_checkout',
    callbackUrl: body.callback_url ?? null,
    description: body.description ?? null,
    externalOrderRef: body.external_order_ref ?? null,
    cardId: body.card?.card_id ?? null,
    vaultRecordId: body.card?.vault_ref_id ?? null,
  }
}

function fromWireCustom(
  { custom, path }: CustomContext,
  money: (path: string, text: string) => bigint,
  problems: ErrorDetails,
) {
  const { merchant_details: merchant, product_details: products, effective_until_minutes = 15 } = custom
  const name = networkSafeName(merchant.name)
  const named = products.map((product, index) => ({
    externalId: product.product_id ?? null,
    name: product.description,
    unitPrice: amountFromMinor(money(`${path}.product_details[${index}].unit_price`, product.unit_price)),
    quantity: product.quantity ?? 1,
  }))
  if (name === '') {
    problems[`${path}.merchant_details.name`] = 'must hold at least one letter or digit that card networks can show'
  }
  const { url, country_code_iso2: country, category_code: categoryCode = null, category = null } = merchant
  return {
    payee: { name, url, country, categoryCode, category },
    products: named,
    effectiveMinutes: effective_until_minutes,
  }
}

interface CustomContext {
  mode: 'custom'
  custom: CustomPurchase
  /** Where in the body it was said, for the paths of errors. */
  path: string
}

/** One shape of the three accepted ones; exactly one mode. */
export function fromWireContext(
  context: CreateSessionBody['purchase_context'],
): CustomContext | { mode: 'quote'; quoteId: string } {
  if (Array.isArray(context)) return customContext(context[0], 'purchase_context[0]')
  const quoteMode = context.quote === true
  if (quoteMode && context.custom !== undefined) {
    throw fieldErrors({ 'purchase_context.custom': 'must be absent when quote is true: send exactly one mode' })
  }
  if (!quoteMode && context.quote_id !== undefined) {
    throw fieldErrors({ 'purchase_context.quote_id': 'needs quote: true: send exactly one mode' })
  }
  if (quoteMode) {
    if (context.quote_id === undefined)
      throw fieldErrors({ 'purchase_context.quote_id': 'is required when quote is true' })
    return { mode: 'quote', quoteId: context.quote_id }
  }
  if (Array.isArray(context.custom)) return customContext(context.custom[0], 'purchase_context.custom[0]')
  return customContext(context.custom, 'purchase_context.custom')
}

function customContext(custom: CustomPurchase | undefined, path: string): CustomContext {
  if (custom === undefined) throw fieldErrors({ [path]: 'is required unless quote is true' })
  return { mode: 'custom', custom, path }
}
