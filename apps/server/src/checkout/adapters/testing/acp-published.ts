import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { isRecord, type JsonRecord } from '../../../platform/json.ts'
import { ACP_VERSION } from '../acp-wire.ts'
import type { AcpForm } from './acp-forms.ts'

/**
 * What the Agentic Commerce Protocol publishes, read from a checkout of its specification. None of it is in this
 * repository.
 */

type Bundle = 'agentic_checkout' | 'delegate_payment' | 'feed'

const OF_FORMS: Record<AcpForm, readonly [Bundle, string]> = {
  'POST /checkout_sessions': ['agentic_checkout', 'CheckoutSessionCreateRequest'],
  'POST /checkout_sessions/{id}': ['agentic_checkout', 'CheckoutSessionUpdateRequest'],
  'POST /checkout_sessions/{id}/complete': ['agentic_checkout', 'CheckoutSessionCompleteRequest'],
  'POST /checkout_sessions/{id}/cancel': ['agentic_checkout', 'CancelSessionRequest'],
  'POST /agentic_commerce/delegate_payment': ['delegate_payment', 'DelegatePaymentRequest'],
}

export function openSpecification(directory: string) {
  const schemas = join(directory, 'spec', ACP_VERSION, 'json-schema')
  const examples = join(directory, 'examples', ACP_VERSION)
  const bundles = new Map<Bundle, { ajv: Ajv2020; id: string }>()
  for (const bundle of ['agentic_checkout', 'delegate_payment', 'feed'] as const) {
    const schema = readJson(join(schemas, `schema.${bundle}.json`))
    // Their notes are no keywords, and formats are in our own forms.
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    ajv.addSchema(schema)
    bundles.set(bundle, { ajv, id: String(schema.$id) })
  }
  const validator = (bundle: Bundle, name: string): ValidateFunction => {
    const { ajv, id } = bundles.get(bundle) ?? {}
    const validate = ajv?.getSchema(`${id}#/$defs/${name}`)
    if (validate === undefined) throw new Error(`The specification has no ${name}.`)
    return validate
  }
  return {
    /** What is wrong with a value; none: it is as published. */
    errorsOf(bundle: Bundle, name: string, value: unknown): string[] {
      const validate = validator(bundle, name)
      validate(value)
      return (validate.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message}`)
    },
    errorsOfRequest(form: AcpForm, body: unknown): string[] {
      return this.errorsOf(...OF_FORMS[form], body)
    },
    /** The members of one file of examples. */
    examplesOf: (bundle: Bundle | 'multi_item_checkout') => readJson(join(examples, `examples.${bundle}.json`)),
    /** The answers of the discount extension, by the name of their file. */
    discounts(): [string, unknown][] {
      const folder = join(examples, 'discount-extension')
      const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
      return files.map((file) => [file, readJson(join(folder, file)).response])
    },
  }
}

function readJson(file: string): JsonRecord {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isRecord(value)) throw new Error(`${file} is no object.`)
  return value
}
