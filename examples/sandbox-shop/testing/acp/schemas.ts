import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/**
 * What the shop's answers must look like, version 2026-04-17. The shapes here are written from reading, with the
 * members that the shop uses and no other. `ACP_SPECIFICATION=<a checkout of the specification>` has every answer
 * validated by the published JSON schemas as well.
 */
const text = { type: 'string', minLength: 1 }
const amount = { type: 'integer', minimum: 0 }
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }
const strict = (properties: object, required: string[] = Object.keys(properties)) => {
  return { type: 'object', additionalProperties: false, properties, required }
}
const listOf = (items: object) => ({ type: 'array', items })

const total = strict({
  type: { enum: ['items_base_amount', 'discount', 'subtotal', 'fulfillment', 'tax', 'total'] },
  display_text: text,
  amount,
})
const message = strict(
  {
    type: { enum: ['info', 'warning', 'error'] },
    code: { enum: ['out_of_stock', 'payment_declined', 'region_restricted', 'intervention_required', 'price_change'] },
    param: { type: 'string', pattern: '^\\$' },
    content_type: { const: 'plain' },
    content: text,
  },
  ['type', 'content_type', 'content'],
)
const session = {
  type: 'object',
  required: [
    'id',
    'protocol',
    'status',
    'currency',
    'line_items',
    'totals',
    'fulfillment_options',
    'messages',
    'links',
    'capabilities',
  ],
  properties: {
    id: text,
    protocol: strict({ version: { const: '2026-04-17' } }),
    status: {
      enum: [
        ...['not_ready_for_payment', 'ready_for_payment', 'complete_in_progress', 'completed'],
        ...['requires_escalation', 'canceled', 'expired'],
      ],
    },
    currency: { const: 'usd' },
    line_items: listOf({
      type: 'object',
      required: ['id', 'item', 'quantity', 'totals'],
      properties: { totals: listOf(total) },
    }),
    totals: listOf(total),
    messages: listOf(message),
    order: strict({ id: text, checkout_session_id: text, permalink_url: text, status: text }),
    expires_at: time,
  },
}
const error = strict(
  {
    type: { enum: ['invalid_request', 'processing_error', 'service_unavailable'] },
    code: text,
    message: text,
    param: { type: 'string', pattern: '^\\$' },
    supported_versions: listOf(text),
  },
  ['type', 'code', 'message'],
)
const delegated = strict({ id: { type: 'string', pattern: '^vt_' }, created: time, metadata: { type: 'object' } })
const feed = strict({ products: listOf({ type: 'object', required: ['id', 'variants'] }) })

const OURS = { session, completed: { ...session, required: [...session.required, 'order'] }, error, delegated, feed }
export type Shape = keyof typeof OURS

/** File and definition of the published schemas. Codes of the delegated payment's errors are a closed set there. */
const PUBLISHED: Record<Shape, [file: string, definition: string]> = {
  session: ['agentic_checkout', 'CheckoutSession'],
  completed: ['agentic_checkout', 'CheckoutSessionWithOrder'],
  error: ['agentic_checkout', 'Error'],
  delegated: ['delegate_payment', 'DelegatePaymentResponse'],
  feed: ['feed', 'ProductsResponse'],
}

const { ACP_SPECIFICATION: specification } = process.env
const compiled = new Map<Shape, ValidateFunction[]>()

/** What is wrong with an answer: an empty list, if all is well. */
export function problemsOf(shape: Shape, body: unknown): unknown[] {
  const validators = compiled.get(shape) ?? compile(shape)
  compiled.set(shape, validators)
  return validators.flatMap((validate) => (validate(body) ? [] : (validate.errors ?? [])))
}

function compile(shape: Shape): ValidateFunction[] {
  // Formats are of no weight here; the published schemas name some that are not checked.
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const validators = [ajv.compile(OURS[shape])]
  if (specification !== undefined) {
    const [file, definition] = PUBLISHED[shape]
    const schema = JSON.parse(
      readFileSync(join(specification, `spec/2026-04-17/json-schema/schema.${file}.json`), 'utf8'),
    )
    ajv.addSchema(schema, file)
    validators.push(ajv.compile({ $ref: `${file}#/$defs/${definition}` }))
  }
  return validators
}

/** The published examples, where they are at hand. */
export function publishedExamples(name: string): Record<string, unknown> | undefined {
  const file = join(specification ?? '', `examples/2026-04-17/examples.${name}.json`)
  if (specification === undefined || !existsSync(file)) return undefined
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
}
