import type { FastifyReply, FastifyRequest } from 'fastify'
import { declareError } from '../platform/errors.ts'

const foreignPage = declareError('FORBIDDEN', 'Only pages of this host may do that.')

/**
 * What changes something comes from a page of this host: browsers say where a request was made, and no page can say
 * otherwise. A cookie that goes along by itself is no proof that its owner wanted the request. Before the body is read.
 */
export function onlyOwnPages(origin: string) {
  return (request: FastifyRequest, _reply: FastifyReply, _body: unknown, done: (error?: Error) => void): void => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead || request.headers.origin === origin) done()
    else done(foreignPage())
  }
}
