import { ERROR_CODES, WALLET_ERROR_CODES } from '@mintmark/contract'
import { apiDocument } from '../../apps/server/src/hosts/api-document.ts'
import { walletEnvelope } from '../../apps/server/src/hosts/wallet-api/envelope.ts'
import { credentialsOf } from '../../apps/server/src/http/credential.ts'
import { type Envelope, PLAIN_ENVELOPE } from '../../apps/server/src/http/envelope.ts'
import { buildApiDocument } from '../../apps/server/src/http/openapi.ts'
import type { Route } from '../../apps/server/src/http/route.ts'
import { ERROR_TEXTS, type ErrorText } from './error-texts.ts'
import { code, type Page, page, table, yesNo } from './markdown.ts'
import { BRAND, bareRoutes } from './routes.ts'
import { WALLET_ERROR_TEXTS } from './wallet-error-texts.ts'

interface ErrorTable {
  codes: Readonly<Record<string, { status: number; retryable: boolean }>>
  texts: Readonly<Record<string, ErrorText>>
  routes: readonly Route[]
  envelope: Envelope
}

/** docs/reference/errors.md: each code, what it means, and which operations may return it. */
export function errorsPage(): Page {
  const { api, surface, owner } = bareRoutes()
  // Hosts share the rows of their health checks.
  const routes = [...new Set([...api, ...surface, ...owner])]
  const about = { codes: ERROR_CODES, texts: ERROR_TEXTS, routes, envelope: PLAIN_ENVELOPE }
  return page('docs/reference/errors.md', 'packages/contract/src/errors.ts and the route tables', [
    '# Errors',
    INTRODUCTION,
    ...tablesOf(about),
  ])
}

/** docs/reference/wallet-errors.md: the same of the wallet API. */
export function walletErrorsPage(): Page {
  const envelope = walletEnvelope(() => new Date(0))
  const about = { codes: WALLET_ERROR_CODES, texts: WALLET_ERROR_TEXTS, routes: bareRoutes().wallet, envelope }
  return page('docs/reference/wallet-errors.md', 'packages/contract/src/wallet-errors.ts and the route table', [
    '# Errors of the wallet API',
    WALLET_INTRODUCTION,
    ...tablesOf(about),
  ])
}

function tablesOf(about: ErrorTable): string[] {
  const { codes, texts, routes } = about
  const users = operationsByCode(about)
  const names = Object.keys(codes)
  return [
    table(
      ['Code', 'Status', 'Try again', 'Meaning', 'What to do'],
      names.map((name) => {
        const { status = 0, retryable = false } = codes[name] ?? {}
        const { meaning = '', remedy = '' } = texts[name] ?? {}
        return [code(name), String(status), yesNo(retryable), meaning, remedy]
      }),
    ),
    '## Who returns it',
    OPERATIONS_NOTE,
    table(
      ['Code', 'Operations'],
      names.map((name) => [code(name), describeUsers(users.get(name) ?? [], routes.length)]),
    ),
    '## Operations',
    table(
      ['Operation', 'Method and path', 'Credential', 'Rate limit'],
      routes.map((row) => [
        row.operationId,
        code(`${row.method} ${row.path.replaceAll(/:(\w+)/g, '{$1}')}`),
        credentialsOf(row.auth)
          .map(({ name }) => name.replace('_', ' '))
          .join(' or ') || 'none',
        row.limit?.name ?? 'none',
      ]),
    ),
  ]
}

const WALLET_INTRODUCTION = `Every error has the same shape:

\`\`\`json
{ "error": { "code": "CUSTOMER_NOT_FOUND", "message": "No such customer.", "request_id": "0190a1b2-…" } }
\`\`\`

Branch on \`code\`. \`message\` is for people and may change. \`request_id\` is the \`X-Response-ID\` of the response; quote it when you
ask for help. \`details\` is there when single fields can be named, as on the [main API](errors.md). The codes are those of this API: a word of the
main API may have another status here.

"Try again" says whether the same request may succeed later without a change. An error that was decided is stored with the
\`Idempotency-Key\` and told again for 24 hours: 400, 403, 404 and 409 that the operations name. To have it decided anew,
take another key. Not decided, and its key free: a validation error, what exists in the sandbox alone, and any change of a suspended account.`

const INTRODUCTION = `Every error has the same shape:

\`\`\`json
{ "error": { "code": "VAL_2001", "message": "The request is not valid: currency.", "details": { "currency": "…" } } }
\`\`\`

Branch on \`code\`. \`message\` is for people and may change. \`details\` is there when single fields can be named. Every
response, error or not, carries \`X-Response-ID\`; quote it when you ask for help. "Try again" says whether the same
request may succeed later without a change.

An error is an answer about a **call**. A payment that did not happen is not an error: the call succeeds, and the payment
result says \`failed\` with one of the [payment failures](declines.md#payment-failures).`

const OPERATIONS_NOTE =
  'Names are the operation ids of the API reference (`/docs` on a running service) and of the table below.'

/** As the machine-readable description of the API lists them, so the two cannot differ. */
function operationsByCode({ routes, envelope }: ErrorTable): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  const document = buildApiDocument(apiDocument({ apiUrl: '', environment: 'sandbox' }), {
    rows: routes,
    envelope,
    brand: BRAND,
  })
  for (const operation of objects(objects(document.paths))) {
    for (const name of codesOf(operation)) {
      const operations = found.get(name) ?? new Set()
      found.set(name, operations.add(String(Reflect.get(operation, 'operationId'))))
    }
  }
  return new Map([...found].map(([name, operations]) => [name, [...operations]]))
}

/** The values of one object, or of several. */
function objects(value: unknown): object[] {
  const list = Array.isArray(value) ? value : [value]
  return list.flatMap((item: unknown) => (isObject(item) ? Object.values(item).filter(isObject) : []))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Every `enum` below a `code` property of the operation's responses. */
function codesOf(operation: object): string[] {
  const text = JSON.stringify(Reflect.get(operation, 'responses'))
  const enums = [...text.matchAll(/"code":\{"enum":(\[[^\]]*\])\}/g)]
  return enums.flatMap(([, list = '[]']) => JSON.parse(list) as string[])
}

function describeUsers(operations: readonly string[], all: number): string {
  if (operations.length === 0) return 'none today'
  if (operations.length === all) return 'all'
  return operations.join(', ')
}
