/** What this package finds out itself. Every other code is the payment page's own. */
export type SdkErrorCode = 'SDK_ALREADY_ACTIVE' | 'INVALID_CONFIG' | 'IFRAME_LOAD_ERROR' | 'SDK_INIT_ERROR'

export class MintmarkError extends Error {
  override readonly name = 'MintmarkError'
  /** One of `SdkErrorCode`, or a code of the payment page. */
  readonly code: string
  /** The cardholder can go on in the page that is shown. False: this attempt is over. */
  readonly retryable: boolean

  constructor(code: string, message: string, retryable = false) {
    super(message)
    this.code = code
    this.retryable = retryable
  }
}

/** For what the package finds out itself: a code with a typing error does not compile. */
export function sdkError(code: SdkErrorCode, message: string, retryable = false): MintmarkError {
  return new MintmarkError(code, message, retryable)
}

/** To the console: the developer of a shop looks there first. */
export function tell({ code, message }: MintmarkError): void {
  // biome-ignore lint/suspicious/noConsole: it is written for that console.
  console.error(`Mintmark: ${code}: ${message}`)
}
