import { type DeclaredError, declareError, type PublicError, unavailable } from '../platform/errors.ts'

export const rateLimited = declareError('RATE_LIMITED', 'Too many requests. Try again later.')

export const MAX_BODY_BYTES = 64 * 1024

// Faults of the message itself. Each has the code of every other invalid request, under the status HTTP has for it.
export const bodyTooLarge = declareError('VAL_2001', 'The body is larger than 64 KiB.', 413)
export const unsupportedBody = declareError('VAL_2001', 'The body is not JSON in UTF-8.', 415)
export const headersTooLarge = declareError('VAL_2001', 'The headers are too large.', 431)
export const requestTooSlow = declareError('VAL_2001', 'The request took too long to arrive.', 408)
export const expectationRefused = declareError('VAL_2001', 'The expectation cannot be met.', 417)

/** Names the faulty part of the message in the text and in `details`. */
export function refusePart(declared: DeclaredError, part: string, problem: string): PublicError {
  return declared({ message: `The request is not valid: ${part} ${problem}.`, details: { [part]: problem } })
}

/** A client that sends `charset=utf8` would say that its body is JSON in UTF-8. */
export const notJson = () => unsupported('content-type', 'must be application/json, alone or with charset=utf-8')

/** 415 for a body whose headers say that it is not JSON in UTF-8, uncompressed. */
export function unsupported(header: string, problem: string): PublicError {
  return refusePart(unsupportedBody, header, problem)
}

/** Made once, as what the door says: it is no failure of ours. */
export const agentsHeldSinceRestore = unavailable({
  message: 'The service was restored from a backup: agents are held until its operator has looked at them.',
  retryAfterSeconds: 30,
})

/** As above. */
export const closedSinceRestore = unavailable({
  message:
    'The service was restored from a backup and is closed: it asks the card network what has ended since. Try again later.',
  retryAfterSeconds: 30,
})
