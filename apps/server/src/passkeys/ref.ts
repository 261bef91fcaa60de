/** Who releases a passkey and is no merchant. */
export const OPERATOR = 'operator'

/** Whose passkey an operator or a merchant speaks of. */
export interface UserRef {
  merchantId: string
  /** The merchant's own name for the person. */
  userId: string
}
