import {
  ReceiptFile,
  ReceiptFileQuery,
  ReceiptKeys,
  ReceiptList,
  ReceiptListQuery,
  ReceiptParams,
} from '@mintmark/contract/wire/receipts'
import { open } from '../../http/credential.ts'
import { RawJson } from '../../http/raw-json.ts'
import { type Route, route } from '../../http/route.ts'
import { receiptNotFound } from '../../receipts/errors.ts'
import { type ReceiptService, readReceipt, type Stored } from '../../receipts/service.ts'
import { perDocument } from '../surface/credential.ts'
import { OWNERS } from './common.ts'

const PAGE = 50
const RECEIPTS = { ...OWNERS, method: 'GET' } as const

/** What an owner and their agents did, signed: their own receipts, and the keys that everybody verifies them with. */
export function receiptRoutes(receipts: ReceiptService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      operationId: 'getReceiptKeys',
      summary: 'The keys that sign receipts, and those that did',
      tag: 'Owners',
      auth: open('Public keys: whoever is shown a receipt verifies it with them.'),
      limit: perDocument,
      status: 200,
      response: ReceiptKeys,
      errors: [],
      handler: () => receipts.publishedKeys(),
    }),
    route({
      ...RECEIPTS,
      path: '/api/receipts',
      operationId: 'listReceipts',
      summary: 'Receipts of an owner, the newest first',
      query: ReceiptListQuery,
      response: ReceiptList,
      errors: [],
      async handler({ caller, query }) {
        const before = query.before === undefined ? null : Number(query.before)
        return toWireList(await receipts.list(caller, { before, limit: PAGE + 1 }))
      },
    }),
    ...fileRoutes(receipts),
  ]
}

function fileRoutes(receipts: ReceiptService): Route[] {
  return [
    route({
      ...RECEIPTS,
      path: '/api/receipts/file',
      operationId: 'downloadReceipts',
      summary: 'Receipts of an owner as a file, in the order of their chain',
      query: ReceiptFileQuery,
      response: ReceiptFile,
      errors: [receiptNotFound],
      handler: async ({ caller, query }) => written(await receipts.fileOfChain(caller, Number(query.after ?? 0))),
    }),
    route({
      ...RECEIPTS,
      path: '/api/receipts/:receiptId',
      operationId: 'downloadReceipt',
      summary: 'One receipt as a file, with the one that allowed it',
      params: ReceiptParams,
      response: ReceiptFile,
      errors: [receiptNotFound],
      handler: async ({ caller, params }) => written(await receipts.fileOfOne(caller, params.receiptId)),
    }),
  ]
}

/** The bytes that a verifier takes: no other order, and no space. */
const written = (file: ReceiptFile) => new RawJson(JSON.stringify(file))

function toWireList(found: readonly Stored[]): ReceiptList {
  const page = found.slice(0, PAGE)
  return {
    receipts: page.map(({ id, position, hash: sha256, jws, occurredAt }) => {
      const { act, outcome } = readReceipt(jws)
      return { id, position, act, outcome, occurred_at: occurredAt.toISOString(), sha256, jws }
    }),
    next_before: found.length > PAGE ? String(page.at(-1)?.position) : null,
  }
}
