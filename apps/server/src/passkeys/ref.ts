/** A caller that releases a passkey and is no merchant. */
export const OPERATOR = 'operator'

/** The customer whose passkey an operator or a merchant speaks of. */
export interface UserRef {
  merchantId: string
  /** The merchant's own name for the person. */
  userId: string
}

/** The passkey of this id among those of a customer. */
export function passkeyOf<One extends { id: string }>(
  passkey: (One & { beside: readonly One[] }) | null,
  id: string | null,
): One | undefined {
  return passkey === null ? undefined : [passkey, ...passkey.beside].find((each) => each.id === id)
}
