import type { FastifyInstance } from 'fastify'
import type { ChargeService } from '../charges/service.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import { limitStep } from '../http/rate-limit-fields.ts'
import { perNetworkMessage } from '../network/credential.ts'
import type { NetworkEvents } from '../network/events-port.ts'
import { invalidFields, unavailable } from '../platform/errors.ts'

interface MessageDeps {
  charges: Pick<ChargeService, 'hear'>
  limiter: RateLimiter
}

/** The largest message that is read. */
const MAX_BYTES = 65_536

/**
 * Where the card network sends its messages. No row of the table: the signature is over the raw bytes, which no parser
 * may have touched, and the address is no merchant's. Open to all who can sign; what is answered with 200 is durable,
 * and what is not comes again.
 */
export function serveNetworkMessages({ path }: Pick<NetworkEvents, 'path'>, { charges, limiter }: MessageDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    if (path === undefined) return
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BYTES }, (_request, body, done) => {
        done(null, body)
      })
      const onRequest = limitStep(limiter, perNetworkMessage)
      scope.post(path, { onRequest, bodyLimit: MAX_BYTES }, async ({ body, headers }) => {
        const message = { body: Buffer.isBuffer(body) ? body : Buffer.alloc(0), headers }
        switch (await charges.hear(message)) {
          case 'heard':
            return { received: true }
          case 'refused':
            throw invalidFields({ message: 'The message is not signed by the network, or is too old.' })
          case 'unknown':
            throw unavailable()
        }
      })
    })
  }
}
