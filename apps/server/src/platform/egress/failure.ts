import type { EgressFailure } from '@mintmark/contract'

/** Ends a request. It never leaves this folder; `send` returns it as a value. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly category: EgressFailure
  /** For the log: a code of the system, of OpenSSL or of the parser, and nothing that the other side wrote. */
  readonly detail: string

  constructor(category: EgressFailure, detail: string = category.toUpperCase()) {
    super(`${category}: ${detail}`)
    this.category = category
    this.detail = detail
  }
}

/** The failure that an error is, in the phase in which it came. One that was decided already stays what it is. */
export function failureOf(category: EgressFailure, error: unknown): EgressError {
  if (error instanceof EgressError) return error
  return new EgressError(category, codeOf(error))
}

const CODE = /^[A-Z][A-Z0-9_]{1,80}$/

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && CODE.test(code) ? code : 'UNKNOWN'
}
