import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { WireRequest } from './build.ts'

export interface WireAnswer {
  status: number
  /** The header `Date`. */
  date: string | undefined
  body: string
}

/** Sends exactly these bytes, and follows nowhere. */
export type SendRequest = (url: URL, request: WireRequest) => Promise<WireAnswer>

const TIMEOUT_MILLIS = 15_000

export const sendRequest: SendRequest = (url, { method, target, headers, body }) =>
  new Promise((resolve, reject) => {
    const { protocol, hostname, port } = url
    const request = (protocol === 'https:' ? requestHttps : requestHttp)({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: target,
      // In pairs one after the other: Node adds none of its own then.
      headers: headers.flat() as never,
      agent: false,
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
    })
    request.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, date: response.headers.date, body: text })
      })
    })
    request.end(body)
  })
