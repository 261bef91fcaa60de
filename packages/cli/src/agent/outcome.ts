import { needed } from '../usage.ts'

/** What became of a payment, in the words of a command. */
export interface OutcomeWords {
  outcome?: 'approved' | 'declined'
  authorizationCode?: string
  responseCode?: string
  amountPaid?: string
}

export function reportOf({ outcome, authorizationCode, responseCode, amountPaid }: OutcomeWords) {
  return {
    txn_status: needed(outcome, '--outcome') === 'approved' ? ('APPROVED' as const) : ('DECLINED' as const),
    ...(authorizationCode === undefined ? {} : { authorization_code: authorizationCode }),
    ...(responseCode === undefined ? {} : { response_code: responseCode }),
    ...(amountPaid === undefined ? {} : { amount_paid: amountPaid }),
  }
}
