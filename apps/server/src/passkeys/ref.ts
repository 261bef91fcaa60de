/** Releases a passkey where no merchant does. */
export const OPERATOR = 'operator'

/** Whose passkey an operator or a merchant speaks of. */
export interface UserRef {
  merchantId: string
  /** The merchant's own name for the person. */
  userId: string
}
