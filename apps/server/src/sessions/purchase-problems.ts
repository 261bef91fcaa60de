import type { ErrorDetails } from '../platform/errors.ts'
import { isRecord, type JsonRecord, valueAt } from '../platform/json.ts'
import { fractionProblemOfText } from '../platform/money.ts'

/** What the schema of a creation cannot say. Takes any value: it is run on bodies that the schema refuses, too. */
export function createProblems(body: unknown, now: Date): ErrorDetails {
  const context = valueAt(body, 'purchase_context')
  const setup = valueAt(body, 'mandate_setup')
  return { ...modeProblems(context), ...moneyProblems(body, placeOfCustom(context)), ...setupProblems(setup, now) }
}

/** Where a purchase describes itself, in one of the three accepted forms. */
export interface CustomPlace<Custom> {
  custom: Custom
  /** In the body, for the paths of errors. */
  path: string
}

/** Undefined: it does not describe itself. The type is that of a body that the schema has let through. */
export function placeOfCustom<Custom>(context: unknown): CustomPlace<Custom> | undefined {
  if (Array.isArray(context)) return { custom: context[0], path: 'purchase_context[0]' }
  const custom = valueAt(context, 'custom')
  if (custom === undefined) return undefined
  if (Array.isArray(custom)) return { custom: custom[0], path: 'purchase_context.custom[0]' }
  return { custom: custom as Custom, path: 'purchase_context.custom' }
}

/** Exactly one of two modes. */
function modeProblems(context: unknown): ErrorDetails {
  if (!isRecord(context)) return {}
  const { quote = false, quote_id: quoteId, custom } = context
  if (quote === true) return { ...needed('quote_id', quoteId), ...unwanted('custom', custom) }
  if (quote !== false) return {}
  if (quoteId !== undefined) return { 'purchase_context.quote_id': 'needs quote: true: send exactly one mode' }
  return custom === undefined ? { 'purchase_context.custom': 'is required unless quote is true' } : {}
}

function needed(field: string, value: unknown): ErrorDetails {
  return value === undefined ? { [`purchase_context.${field}`]: 'is required when quote is true' } : {}
}

function unwanted(field: string, value: unknown): ErrorDetails {
  if (value === undefined) return {}
  return { [`purchase_context.${field}`]: 'must be absent when quote is true: send exactly one mode' }
}

/** Whether an amount may have a fraction is for the currency to say. */
function moneyProblems(body: unknown, place: CustomPlace<unknown> | undefined): ErrorDetails {
  const currency = valueAt(body, 'currency')
  const problems: ErrorDetails = {}
  const check = (path: string, amount: unknown) => {
    const problem = fractionProblemOfText(amount, currency)
    if (problem !== null) problems[path] = problem
  }
  check('total_amount', valueAt(body, 'total_amount'))
  if (place === undefined) return problems
  const products = valueAt(place.custom, 'product_details')
  for (const [index, product] of (Array.isArray(products) ? products : []).entries()) {
    check(`${place.path}.product_details[${index}].unit_price`, valueAt(product, 'unit_price'))
  }
  const summary = valueAt(place.custom, 'summary')
  for (const part of Object.keys(recordOf(summary))) check(`${place.path}.summary.${part}`, valueAt(summary, part))
  return problems
}

function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

export function setupProblems(setup: unknown, now: Date): ErrorDetails {
  const { intent, recurring_frequency: frequency, valid_until: validUntil } = recordOf(setup)
  // What the cardholder approves once has an end of its own.
  if (intent === 'checkout' || frequency === 'one_time' || typeof validUntil !== 'string') return {}
  return new Date(validUntil) <= now ? { 'mandate_setup.valid_until': 'must lie in the future' } : {}
}
