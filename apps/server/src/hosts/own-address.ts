import type { FastifyReply, FastifyRequest } from 'fastify'
import { declareError } from '../platform/errors.ts'

interface OwnAddress {
  apiUrl: string
  /** A sandbox is called by any name that its machine has for itself. */
  isSandbox: boolean
}

const notOwn = declareError('FORBIDDEN', 'The request is not for this server, or comes from a page of another origin.')

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

/**
 * Lets in only who calls this server by its name, and no page of another origin: a page whose name was led to this
 * machine (DNS rebinding) still sends its own name.
 */
export function ownAddressStep({ apiUrl, isSandbox }: OwnAddress) {
  const own = new URL(apiUrl)
  const isOwn = (host: string) => host.toLowerCase() === own.host || (isSandbox && LOOPBACK.test(host))
  const isOwnOrigin = (origin: string) =>
    origin === own.origin || (isSandbox && URL.canParse(origin) && LOOPBACK.test(new URL(origin).host))
  return function checkOwnAddress(
    { headers: { host = '', origin } }: FastifyRequest,
    _reply: FastifyReply,
    done: (error?: Error) => void,
  ): void {
    const canonical = host.replace(own.protocol === 'https:' ? /:443$/ : /:80$/, '')
    if (isOwn(canonical) && (origin === undefined || isOwnOrigin(origin))) done()
    else done(notOwn())
  }
}
