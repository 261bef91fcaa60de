import type { SealedRow } from '../platform/row-seals.ts'

interface AskedCharge {
  merchantId: string
  id: string
  agentId: string
  customerId: string
  mandateId: string
  reference: string
  chargeId: string
  limitKind: string
  beyond: boolean
  amountMinor: bigint
  currency: string
  payeeName: string
  payeeUrl: string
}

/** What must not be edited of an escalation: which agent asks which owner for what. */
export function sealedEscalation(asked: AskedCharge): SealedRow {
  const { merchantId, id, agentId, customerId, mandateId, reference, chargeId, limitKind, beyond } = asked
  const { amountMinor, currency, payeeName, payeeUrl } = asked
  const charge = [reference, chargeId, limitKind, String(beyond), amountMinor, currency, payeeName, payeeUrl]
  return { table: 'escalations', merchantId, id, parts: ['asked', agentId, customerId, mandateId, ...charge] }
}

/** That the owner has allowed it, and until when that is good. */
export function sealedAllowance(
  { merchantId, id }: Pick<AskedCharge, 'merchantId' | 'id'>,
  { goodUntil }: { goodUntil: Date },
): SealedRow {
  return { table: 'escalations', merchantId, id, parts: ['allowed', goodUntil.toISOString()] }
}
