import type { WalletErrorCode } from '@mintmark/contract'
import { Meta, MetaOfChange, MetaOfPage, WalletErrorEnvelope } from '@mintmark/contract/wire/wallet/common'
import { Type } from 'typebox'
import type { Envelope, SuccessFacts, SuccessKind } from '../../http/envelope.ts'
import type { PagePosition } from '../../http/page.ts'

/** What the parts that all hosts share call otherwise. */
const WALLET_CODES: Readonly<Record<string, WalletErrorCode>> = { VAL_2001: 'VALIDATION_ERROR' }

/**
 * `{ "data", "meta" }` for a success, `{ "error": { "code", "message", "request_id" } }` for an error. The message
 * names failing fields; a validation error says of each what is wrong with it, in `details`.
 */
export function walletEnvelope(now: () => Date): Envelope {
  const spelt = (code: string) => WALLET_CODES[code] ?? code
  return {
    error({ code, message, details }, _brand, request_id) {
      const error = { code: spelt(code), message, request_id, ...(details !== undefined && { details }) }
      return JSON.stringify({ error } satisfies WalletErrorEnvelope)
    },
    code: spelt,
    errorSchema: WalletErrorEnvelope,
    errorCodes: (codes) => ({
      properties: {
        error: { $ref: '#/components/schemas/ErrorContent', properties: { code: { enum: codes } } },
      },
    }),
    success: {
      body: (data, facts) => ({ data, meta: metaOf(facts, now()) }),
      schema: (data, kind) => Type.Object({ data, meta: metaSchema(kind) }),
    },
  }
}

function metaOf({ responseId, idempotencyKey, position }: SuccessFacts, at: Date) {
  return {
    request_id: responseId,
    timestamp: at.toISOString(),
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    ...(position !== undefined && { pagination: toWirePosition(position) }),
  }
}

function toWirePosition({ page, pageSize, totalCount, hasMore }: PagePosition) {
  return { page, page_size: pageSize, total_count: totalCount, has_more: hasMore }
}

function metaSchema({ takesKey, isPaged }: SuccessKind) {
  if (isPaged) return MetaOfPage
  return takesKey ? MetaOfChange : Meta
}
