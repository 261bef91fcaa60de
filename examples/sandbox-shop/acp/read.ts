import type { Card } from '../buying/acquirer.ts'
import { findVariant } from '../catalog/products.ts'
import type { Address } from '../pricing/address.ts'
import { AcpError } from './protocol.ts'
import type { Allowance } from './tokens.ts'

type Fields = Record<string, unknown>

export interface Basket {
  items: { variantId: string; quantity: number }[]
}

/** What a request changes; what is not named stays. */
export interface Changes {
  items?: Basket['items']
  details?: Details
  buyer?: Fields
  optionId?: string
}

/** Where it goes, as it was said, and as the shop reads it. */
export interface Details {
  said: Fields
  address: Address | null
}

const MAX_PIECES = 1_000
const CREATE = [
  ...['buyer', 'line_items', 'currency', 'fulfillment_details', 'capabilities', 'fulfillment_groups'],
  ...['affiliate_attribution', 'coupons', 'discounts', 'locale', 'timezone', 'quote_id', 'metadata', 'order_notes'],
]
const UPDATE = [
  ...['buyer', 'line_items', 'fulfillment_details', 'fulfillment_groups', 'selected_fulfillment_options'],
  ...['coupons', 'discounts', 'order_notes'],
]

export function readCreate(body: unknown): Changes & Basket {
  const fields = known(body, CREATE)
  fieldsOf(fields.capabilities, '$.capabilities')
  const currency = textOf(fields.currency, '$.currency', 3)
  if (currency.toLowerCase() !== 'usd') throw invalid('unsupported_currency', '$.currency', 'The shop sells in usd.')
  return { ...readChanges(fields), items: readItems(fields.line_items) }
}

export function readUpdate(body: unknown): Changes {
  return readChanges(known(body, UPDATE))
}

function readChanges({
  line_items,
  fulfillment_details,
  buyer,
  selected_fulfillment_options: selected,
}: Fields): Changes {
  return {
    ...(line_items === undefined ? {} : { items: readItems(line_items) }),
    ...(fulfillment_details === undefined ? {} : { details: readDetails(fulfillment_details) }),
    ...(buyer === undefined ? {} : { buyer: readBuyer(buyer) }),
    ...(selected === undefined ? {} : { optionId: readOption(selected) }),
  }
}

/** The published schema of an item has no quantity: one of a kind is named as often as it is wanted. A quantity is read, too. */
function readItems(value: unknown): Basket['items'] {
  if (!Array.isArray(value) || value.length === 0) throw invalid('missing', '$.line_items', 'There is nothing to buy.')
  const sums = new Map<string, number>()
  for (const [index, item] of value.entries()) {
    const { id, quantity = 1 } = fieldsOf(item, `$.line_items[${index}]`)
    const variantId = textOf(id, `$.line_items[${index}].id`, 200)
    if (findVariant(variantId) === undefined) {
      throw invalid('invalid_item_id', `$.line_items[${index}].id`, 'The shop has no such item.')
    }
    const isCount = typeof quantity === 'number' && Number.isInteger(quantity) && quantity >= 1
    const sum = (sums.get(variantId) ?? 0) + (isCount ? quantity : MAX_PIECES + 1)
    if (sum > MAX_PIECES)
      throw invalid('invalid', `$.line_items[${index}].quantity`, `1 to ${MAX_PIECES} of each, please.`)
    sums.set(variantId, sum)
  }
  return [...sums].map(([variantId, quantity]) => ({ variantId, quantity }))
}

function readDetails(value: unknown): Details {
  const path = '$.fulfillment_details'
  const said = fieldsOf(value, path)
  for (const name of ['name', 'phone_number', 'email']) {
    if (said[name] !== undefined) textOf(said[name], `${path}.${name}`, 320)
  }
  return { said, address: said.address === undefined ? null : readAddress(said.address, `${path}.address`) }
}

function readAddress(value: unknown, path: string): Address {
  const fields = fieldsOf(value, path)
  const text = (name: string) => textOf(fields[name], `${path}.${name}`, 256)
  const second = fields.line_two === undefined || fields.line_two === '' ? '' : `, ${text('line_two')}`
  return {
    name: text('name'),
    address: text('line_one') + second,
    city: text('city'),
    state: fields.state === '' ? '' : text('state'),
    country: textOf(fields.country, `${path}.country`, 2),
    postal_code: text('postal_code'),
  }
}

function readBuyer(value: unknown): Fields {
  const buyer = fieldsOf(value, '$.buyer')
  textOf(buyer.email, '$.buyer.email', 320)
  return buyer
}

function readOption(value: unknown): string {
  const path = '$.selected_fulfillment_options'
  if (!Array.isArray(value) || value.length !== 1) throw invalid('invalid', path, 'The shop sends everything one way.')
  return textOf(fieldsOf(value[0], `${path}[0]`).option_id, `${path}[0].option_id`, 100)
}

/** The token of a completion. */
export function readComplete(body: unknown): { token: string } {
  const { payment_data: payment } = fieldsOf(body, '$')
  const { instrument } = fieldsOf(payment, '$.payment_data')
  const { credential } = fieldsOf(instrument, '$.payment_data.instrument')
  const { token } = fieldsOf(credential, '$.payment_data.instrument.credential')
  return { token: textOf(token, '$.payment_data.instrument.credential.token', 200) }
}

interface Delegation {
  card: Card
  allowance: Allowance
  metadata: Fields
}

export function readDelegation(body: unknown, merchantId: string): Delegation {
  const { payment_method: method, allowance, risk_signals: signals, metadata } = fieldsOf(body, '$')
  if (!Array.isArray(signals)) throw invalid('missing', '$.risk_signals', 'risk_signals is a list.')
  return {
    card: readCard(method),
    allowance: readAllowance(allowance, merchantId),
    metadata: fieldsOf(metadata, '$.metadata'),
  }
}

/** What was sent is not said again: it may be a card. */
function readCard(value: unknown): Card {
  const path = '$.payment_method'
  const card = fieldsOf(value, path)
  const digits = (name: string, pattern: RegExp) => {
    const text = card[name]
    if (typeof text !== 'string' || !pattern.test(text)) {
      throw invalid('invalid_card', `${path}.${name}`, `${name} is missing, or not of its form.`)
    }
    return text
  }
  if (card.type !== 'card') throw invalid('invalid_card', `${path}.type`, 'The shop takes cards.')
  digits('card_number_type', /^(?:fpan|network_token)$/)
  digits('display_card_funding_type', /^(?:credit|debit|prepaid)$/)
  fieldsOf(card.metadata, `${path}.metadata`)
  return {
    number: digits('number', /^\d{12,19}$/),
    cvv: digits('cvc', /^\d{3,4}$/),
    expiryMonth: digits('exp_month', /^(?:0[1-9]|1[0-2])$/),
    expiryYear: digits('exp_year', /^\d{4}$/),
  }
}

function readAllowance(value: unknown, merchantId: string): Allowance {
  const path = '$.allowance'
  const { reason, max_amount: most, currency, ...allowance } = fieldsOf(value, path)
  if (reason !== 'one_time') throw invalid('invalid', `${path}.reason`, 'The reason is one_time.')
  if (typeof most !== 'number' || !Number.isSafeInteger(most) || most < 0) {
    throw invalid('invalid', `${path}.max_amount`, 'max_amount is in minor units.')
  }
  if (currency !== 'usd') throw invalid('invalid', `${path}.currency`, 'The shop sells in usd.')
  if (allowance.merchant_id !== merchantId) throw invalid('invalid', `${path}.merchant_id`, 'This is another merchant.')
  const expiresAt = new Date(textOf(allowance.expires_at, `${path}.expires_at`, 40))
  if (Number.isNaN(expiresAt.getTime())) throw invalid('invalid', `${path}.expires_at`, 'expires_at is no time.')
  const sessionId = textOf(allowance.checkout_session_id, `${path}.checkout_session_id`, 200)
  return { sessionId, most: BigInt(most), expiresAt }
}

function known(body: unknown, names: readonly string[]): Fields {
  const fields = fieldsOf(body, '$')
  const stranger = Object.keys(fields).find((name) => !names.includes(name))
  if (stranger !== undefined) throw invalid('invalid', `$.${stranger}`, 'The protocol has no such member here.')
  return fields
}

function fieldsOf(value: unknown, path: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw invalid(value === undefined ? 'missing' : 'invalid', path, 'An object is wanted here.')
}

function textOf(value: unknown, path: string, longest: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= longest) return value
  throw invalid(
    value === undefined ? 'missing' : 'invalid',
    path,
    `A text of 1 to ${longest} characters is wanted here.`,
  )
}

const invalid = (code: string, param: string, message: string): AcpError => new AcpError(400, code, message, param)
