import type { Confirmation, Currency } from '@mintmark/contract'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import type { ReportedWork } from './work-fragments.ts'

/** Tells the network the reported outcome, outside any transaction. Idempotent on the charge's id. */
export async function confirm(
  { network }: ChargeDeps,
  work: Pick<ReportedWork, 'id' | 'currency' | 'reportedOutcome' | 'paidMinor' | 'authorizationCode' | 'responseCode'>,
): Promise<Confirmation | 'unknown'> {
  const { id: chargeId, reportedOutcome: outcome, paidMinor, authorizationCode, responseCode } = work
  if (outcome === null) throw new Error(`Charge ${chargeId} has no report to confirm.`)
  const currency = work.currency as Currency
  const amountPaid = paidMinor === null ? null : { minor: paidMinor, currency }
  const answer = await network.confirm({ chargeId, outcome, currency, amountPaid, authorizationCode, responseCode })
  switch (answer.outcome) {
    case 'ok':
      return 'SUCCESS'
    case 'declined':
      return 'FAILURE'
    case 'unknown':
      return 'unknown'
  }
}

/**
 * Ends a credential at the network, as far as it was not spent: from then on it pays for nothing. `unknown`: ask again. Idempotent,
 * and writes nothing here.
 */
export async function releaseCredential(
  { network }: Pick<ChargeDeps, 'network'>,
  { chargeId }: Pick<ChargeRef, 'chargeId'>,
): Promise<'ended' | 'used' | 'unknown'> {
  const answer = await network.release({ chargeId })
  if (answer.outcome !== 'ok') return 'unknown'
  return answer.value.state === 'used' ? 'used' : 'ended'
}
