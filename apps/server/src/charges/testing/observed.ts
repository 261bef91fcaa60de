import type { Answer, TestMerchant, TestService } from '../../../test/service.ts'
import { spend } from './standing.ts'

/** What a shop's bank does with an authorization, at the sandbox's acquirer. */
export type Bank = (
  type: 'captured' | 'reversed' | 'expired' | 'refunded' | 'disputed',
  amount?: string,
  more?: boolean,
) => Promise<Answer>

/** Pays with the credential of a charge, and returns what can become of that. */
export async function paidAt(service: TestService, merchant: TestMerchant, made: Answer): Promise<Bank> {
  const { approved, authorization_id: id } = (await spend(service, merchant, made)).body
  if (!approved) throw new Error('The payment was declined.')
  return settling(merchant, id)
}

export function settling(merchant: TestMerchant, authorizationId: string): Bank {
  return (type, amount, more) =>
    merchant.post(`/v1/test_helpers/authorizations/${authorizationId}/settle`, {
      type,
      ...(amount !== undefined && { amount }),
      ...(more !== undefined && { more_to_follow: more }),
    })
}
