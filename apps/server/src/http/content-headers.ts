import type { IncomingHttpHeaders } from 'node:http'
import { notJson, unsupported } from './errors.ts'

/**
 * `application/json`, alone or with `charset=utf-8`, in any case. No two runs of blanks meet: a matcher that may choose where one ends and the
 * next begins tries the square of their length, and on open rows any client may send this header.
 */
const JSON_TYPE = /^application\/json[\t ]*(?:;[\t ]*(?:charset=(?:utf-8|"utf-8")[\t ]*(?:;[\t ]*)?)?)?$/i

/** Refuses, by its headers alone and so before it is read, a body this API does not take. */
export function checkContentHeaders(headers: IncomingHttpHeaders): void {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (coding === undefined && (length === undefined || length === '0')) return
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw unsupported('transfer-encoding', 'must be chunked or absent')
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported('content-encoding', 'is not supported: send the body uncompressed')
  }
  const type = headers['content-type']
  // A chunked body may turn out empty; only then may the type be missing, which the parser finds out.
  if (type === undefined ? coding === undefined : !JSON_TYPE.test(type)) {
    throw notJson()
  }
}
