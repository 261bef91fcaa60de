import type { MerchantScope, RecurringFrequency } from '@mintmark/contract'
import type { CreateSessionBody, CustomPurchase } from '@mintmark/contract/wire/sessions'
import {
  canonicalAmount,
  fromWirePayee,
  fromWireProducts,
  type Payee,
  type PurchasedProduct,
} from '../charges/service.ts'
import { chargeLimit } from '../network/windows.ts'
import { minorFromAmount } from '../platform/money.ts'
import { canonicalLocale, optionalReference, optionalText } from '../platform/text.ts'
import { placeOfCustom } from './purchase-problems.ts'

/** A customer as their merchant names them. */
export interface NamedCustomer {
  userId: string
  email: string
  phone: string | null
  country: string | null
}

/** The owner of an agent, who is a customer already. */
export interface Owner {
  ownerId: string
  agentId: string
}

/** What a merchant says of every purchase, whoever describes what is bought; an agent says it of its owner. */
export interface Order<Customer = NamedCustomer> {
  customer: Customer
  amountMinor: bigint
  currency: string
  integrationType: 'full_checkout' | 'embedding'
  callbackUrl: string | null
  description: string | null
  externalOrderRef: string | null
  /** BCP 47: how the cardholder reads. Null: the merchant does not say. */
  locale: string | null
  /** The preselected card: at most one of the two. */
  cardId: string | null
  vaultRecordId: string | null
}

/** One purchase by one customer. */
export interface Purchase<Customer = NamedCustomer> extends Order<Customer> {
  payee: Payee
  products: PurchasedProduct[]
  summary: PurchaseSummary | null
  /** How long the approval may be charged once it is given. */
  effectiveMinutes: number
}

/** How the total comes about, each part as the wire shows money; null where the merchant says nothing. */
export type PurchaseSummary = Record<(typeof SUMMARY_PARTS)[number], string | null>
const SUMMARY_PARTS = ['subtotal', 'shipping', 'tax', 'discount'] as const

/** What bounds a standing mandate, as a merchant asks for it. */
export interface MandateRequest {
  frequency: RecurringFrequency
  merchantScope: MerchantScope
  maxCharges: number | null
  /** Null: as far as the frequency allows. */
  validUntil: Date | null
  adjustable: boolean
}

/**
 * What a session is created for: a purchase that the body describes, or one that a quote does; with `setup` a standing
 * mandate instead of one payment.
 */
export type SessionRequest = { setup: MandateRequest | null; simulated: boolean } & (
  | { mode: 'custom'; purchase: Purchase }
  | { mode: 'quote'; quoteId: string; order: Order }
)

/** How long an approval may be charged where its merchant says nothing, and where the service buys. */
export const EFFECTIVE_MINUTES = 15

/** The body of a creation, which the schema and `createProblems` have found nothing wrong with. */
export function fromWireCreate(body: CreateSessionBody): SessionRequest {
  const simulated = body.sandbox_simulation !== undefined
  const setup = fromWireSetup(body.mandate_setup)
  const { purchase_context: context } = body
  if (!Array.isArray(context) && context.quote_id !== undefined) {
    return { mode: 'quote', quoteId: context.quote_id, order: fromWireOrder(body), setup, simulated }
  }
  const custom = placeOfCustom<CustomPurchase>(context)?.custom
  if (custom === undefined) throw new TypeError('A purchase that no quote describes describes itself.')
  return { mode: 'custom', purchase: { ...fromWireOrder(body), ...fromWireCustom(custom) }, setup, simulated }
}

/** Null: an ordinary checkout. */
export function fromWireSetup(setup: CreateSessionBody['mandate_setup']): MandateRequest | null {
  if (setup === undefined || setup.intent === 'checkout') return null
  return {
    frequency: setup.recurring_frequency,
    merchantScope: setup.merchant_scope ?? 'listed',
    maxCharges: chargeLimit(setup.recurring_frequency, setup.max_charges ?? null),
    validUntil: setup.valid_until === undefined ? null : new Date(setup.valid_until),
    adjustable: setup.adjustable ?? false,
  }
}

function fromWireOrder(body: CreateSessionBody): Order {
  return {
    customer: {
      userId: body.user_id,
      email: body.user_email,
      phone: optionalText(body.user_phone),
      country: body.user_country_code_iso2 ?? null,
    },
    amountMinor: minorFromAmount(body.total_amount),
    currency: body.currency,
    integrationType: body.integration_type ?? 'full_checkout',
    callbackUrl: body.callback_url ?? null,
    description: optionalText(body.description),
    externalOrderRef: optionalReference(body.external_order_ref),
    locale: canonicalLocale(body.locale),
    cardId: body.card?.card_id ?? null,
    vaultRecordId: body.card?.vault_ref_id ?? null,
  }
}

function fromWireCustom({ merchant_details, product_details, summary, effective_until_minutes }: CustomPurchase) {
  return {
    payee: fromWirePayee(merchant_details),
    products: fromWireProducts(product_details),
    summary: summary === undefined ? null : fromWireSummary(summary),
    effectiveMinutes: effective_until_minutes ?? EFFECTIVE_MINUTES,
  }
}

function fromWireSummary(summary: NonNullable<CustomPurchase['summary']>): PurchaseSummary | null {
  const parts = SUMMARY_PARTS.map((part) => {
    const amount = summary[part]
    return [part, amount === undefined ? null : canonicalAmount(amount)] as const
  })
  return parts.some(([, amount]) => amount !== null) ? (Object.fromEntries(parts) as PurchaseSummary) : null
}
