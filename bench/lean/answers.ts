import { MERCHANT } from './crypto.ts'
import { Refused } from './http.ts'

// What is said to callers: the fields that they use, and as many bytes beside them as the service sends.

export const EXPIRES_AFTER_MILLIS = 900_000
export const CHALLENGE_MILLIS = 300_000

/** A card as the network would issue it. Nothing is asked: what a network takes is nothing of ours. */
export const CREDENTIAL = { token: '4895370000000008', dynamic_cvv: '123', expiry_month: '12', expiry_year: '2099' }

export interface Details {
  readonly user_id: string
  readonly user_email: string
  readonly total_amount: string
  readonly currency: string
  readonly purchase_context: {
    readonly custom: {
      readonly merchant_details: { readonly name: string; readonly url: string; readonly country_code_iso2: string }
      readonly product_details: readonly { readonly description: string; readonly unit_price: string }[]
    }
  }
}

const filled = (size: number) => 'x'.repeat(size)
const [OF_CREATION, OF_LAUNCH, OF_CARD, OF_OPTIONS] = [450, 700, 600, 150].map(filled)
const [OF_REGISTRATION, OF_APPROVAL, OF_RESULT, OF_REPORT] = [1_000, 500, 450, 90].map(filled)

export function detailsIn(body: Readonly<Record<string, unknown>>): Details {
  const details = body as unknown as Details
  const { user_id, user_email, total_amount, currency, purchase_context } = details
  const merchant = purchase_context?.custom?.merchant_details
  const isRight =
    typeof user_id === 'string' &&
    typeof user_email === 'string' &&
    /^\d{1,10}\.\d\d$/.test(total_amount) &&
    /^[A-Z]{3}$/.test(currency) &&
    typeof merchant?.name === 'string' &&
    URL.canParse(merchant.url) &&
    purchase_context.custom.product_details.every(({ description }) => typeof description === 'string')
  if (!isRight) throw new Refused(400, 'details')
  return details
}

/** A text of two decimals, in hundredths. */
export function minorIn(amount: unknown): bigint {
  if (typeof amount !== 'string' || !/^\d{1,12}\.\d\d$/.test(amount)) throw new Refused(400, 'amount')
  return BigInt(amount.replace('.', ''))
}

export const created = (origin: string, id: string, secret: string, token: string) => ({
  status: 201,
  body: {
    session_id: id,
    session_token: token,
    iframe_url: `${origin}/s/${MERCHANT}/${id}#${secret}`,
    status: 'pending',
    rest: OF_CREATION,
  },
})

export const launched = (token: string, details: object) => ok({ session_token: token, view: details, rest: OF_LAUNCH })
export const cardTaken = (details: object) => ok({ view: details, rest: OF_CARD })
export const asked = (options: object) => ok({ ...options, rest: OF_OPTIONS })
export const registered = (options: object, view: object) => ok({ approval: { options }, view, rest: OF_REGISTRATION })
export const approved = (view: object) => ok({ view, status: 'awaiting_result', rest: OF_APPROVAL })
export const reported = () => ok({ status: 'completed', rest: OF_REPORT })

export function result(id: string, status: string, credential: string | null) {
  const item = credential === null ? { token: null } : JSON.parse(credential)
  return ok({ status, transactions: [{ line_items: [{ txn_ref_id: id, ...item }] }], rest: OF_RESULT })
}

export const charged = (id: string, amount: string, credential: object) =>
  ok({ charge_id: id, status: 'awaiting_result', amount, credentials: credential, rest: OF_RESULT })

function ok(body: object) {
  return { status: 200, body }
}
