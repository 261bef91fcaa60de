import {
  type DeclaredError,
  idempotencyConflict,
  idempotencyInProgress,
  internalError,
  invalidFields,
  unavailable,
} from '../platform/errors.ts'
import type { JsonRecord } from '../platform/json.ts'
import { challengesOf, credentialsOf, errorsOf, isOpen } from './credential.ts'
import {
  bodyTooLarge,
  expectationRefused,
  headersTooLarge,
  rateLimited,
  requestTooSlow,
  unsupportedBody,
} from './errors.ts'
import type { ApiDescription } from './openapi.ts'
import type { Route } from './route.ts'

/** What any request may be refused for before its row is looked at. */
const OF_ANY_REQUEST = [
  invalidFields,
  requestTooSlow,
  bodyTooLarge,
  unsupportedBody,
  expectationRefused,
  headersTooLarge,
  internalError,
  unavailable,
]

/** What the row declares, after what the steps before its handler may return in its place. */
function allErrorsOf(row: Route): readonly DeclaredError[] {
  const common = [...OF_ANY_REQUEST, ...credentialsOf(row.auth).flatMap(errorsOf)]
  if (!isOpen(row.auth) || row.limit !== null) common.push(rateLimited)
  if (row.idempotencyKey !== undefined) common.push(idempotencyConflict, idempotencyInProgress)
  const declared = new Set(row.errors.map(keyOf))
  return [...common.filter((error) => !declared.has(keyOf(error))), ...row.errors].toSorted(
    (a, b) => a.status - b.status,
  )
}

function keyOf({ status, code }: DeclaredError): string {
  return `${status} ${code}`
}

/** Every status that a row's response may have. */
export function statusesOf(row: Route): number[] {
  return [...new Set([row.status, ...allErrorsOf(row).map(({ status }) => status)])]
}

/** One response a status; its codes are named in the description, in the schema and by an example each. */
export function errorResponses(row: Route, host: ApiDescription): Record<string, JsonRecord> {
  const responses: Record<string, JsonRecord> = {}
  for (const [status, all] of Map.groupBy(allErrorsOf(row), (error) => error.status)) {
    const maySendAgain = all.includes(idempotencyInProgress) ? RETRY_AFTER : {}
    const headers = status === UNAUTHENTICATED ? challengeHeader(row) : (HEADERS_OF[status] ?? maySendAgain)
    responses[status] = errorResponse(all, host, headers)
  }
  return responses
}

function errorResponse(errors: readonly DeclaredError[], { envelope, brand }: ApiDescription, headers: JsonRecord) {
  const byCode = new Map(errors.map((error) => [envelope.code(error.code, brand), error]))
  const examples = [...byCode].map(([code, error]) => {
    const value: unknown = JSON.parse(envelope.error(error(), brand, EXAMPLE_RESPONSE_ID))
    return [code, { summary: error.text, value }]
  })
  return {
    description: [...byCode].map(([code, { text }]) => `\`${code}\`: ${text}`).join('\n\n'),
    headers: { 'X-Response-ID': { $ref: '#/components/headers/X-Response-ID' }, ...headers },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error', ...envelope.errorCodes([...byCode.keys()]) },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

const UNAUTHENTICATED = 401
function challengeHeader({ auth }: Route): JsonRecord {
  const schema = { type: 'string', examples: [challengesOf(auth)] }
  return { 'WWW-Authenticate': { description: 'The kind of credential that is wanted.', schema } }
}

export const EXAMPLE_RESPONSE_ID = '0190a1b2-c3d4-4e5f-8a9b-0c1d2e3f4a5b'
const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer', examples: [5] } },
}
const HEADERS_OF: Readonly<Record<number, JsonRecord>> = {
  [rateLimited.status]: {
    ...RETRY_AFTER,
    RateLimit: {
      description: 'What is left of the limit, and until when.',
      schema: { type: 'string', examples: ['"merchant";r=0;t=12'] },
    },
    'RateLimit-Policy': { description: 'The limit.', schema: { type: 'string', examples: ['"merchant";q=600;w=60'] } },
  },
  [unavailable.status]: RETRY_AFTER,
}
