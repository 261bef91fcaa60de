import { MAX_ROW, PAGE_SIZE, type PageQuery } from '@mintmark/contract/wire/wallet/common'
import { fieldErrors } from '../platform/errors.ts'

/** Which part of a list is asked for. */
export interface PageRange {
  offset: number
  limit: number
}

/** Where a page is in its list. */
export interface PagePosition {
  page: number
  pageSize: number
  totalCount: number
  hasMore: boolean
}

/** One page of a list: what the handler of a row with `isPaged` returns. */
export class Page<Result> {
  readonly result: Result
  readonly position: PagePosition

  constructor(result: Result, position: PagePosition) {
    this.result = result
    this.position = position
  }
}

/**
 * The rows of a page. Refused beyond the deepest row: to find a row by its place the database walks over all rows before it, so the
 * cost of one request would grow with the page it asks for.
 */
export function rangeOf({ page = '1', page_size = String(PAGE_SIZE) }: PageQuery): PageRange {
  const [number, limit] = [Number(page), Number(page_size)]
  if (number * limit > MAX_ROW) {
    throw fieldErrors({ page: `must not reach beyond row ${MAX_ROW.toLocaleString('en')}` })
  }
  return { offset: (number - 1) * limit, limit }
}

/** So many rows a statement counts at most: one more than can be shown, so that it is known whether there are more. */
export const MAX_COUNTED = MAX_ROW + 1

/** A page of a list, of which a statement counted `counted` rows, at most `MAX_COUNTED`. */
export function pageOf<Result>(result: Result, { offset, limit }: PageRange, counted: bigint | number): Page<Result> {
  const totalCount = Math.min(Number(counted), MAX_ROW)
  const hasMore = Number(counted) > offset + limit
  return new Page(result, { page: offset / limit + 1, pageSize: limit, totalCount, hasMore })
}
