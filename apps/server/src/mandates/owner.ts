import type { RowSeals, SealedRow } from '../platform/row-seals.ts'
import type { MandateDeps, MandateRef } from './service.ts'
import type { MandateRow } from './store.ts'

// Whose a standing mandate is, and the seal over it. It is made with the session that sets the mandate up, before it is known who
// approves it with which card: so it says the merchant's own name for the customer, and holds whatever becomes of card and customer. An
// agent has one owner, who is a customer already: there it says which one.

interface Owner extends MandateRef {
  externalUserId: string
  customerId: string
  agentId: string | null
}

export function sealedOwner({ merchantId, id, externalUserId, customerId, agentId }: Owner): SealedRow {
  return {
    table: 'mandates',
    merchantId,
    id,
    parts: ['owner', agentId === null ? externalUserId : customerId, agentId],
  }
}

/** The seal of a mandate that a merchant asks one of its users for, or an agent its owner. */
export function ownerSeal(
  { seals }: MandateDeps,
  mandate: MandateRef & ({ userId: string } | { ownerId: string; agentId: string }),
): Buffer {
  const whose =
    'agentId' in mandate
      ? { externalUserId: '', customerId: mandate.ownerId, agentId: mandate.agentId }
      : { externalUserId: mandate.userId, customerId: '', agentId: null }
  return seals.seal(sealedOwner({ ...mandate, ...whose }))
}

/**
 * Throws `RowTampered` for a standing mandate that an editor of the database has given to another user, or agent, since; also by giving
 * its customer the name of another one. That of a checkout has no seal of its own: no caller charges it.
 */
export function checkOwner({ seals }: { seals: RowSeals }, mandate: MandateRow): void {
  if (mandate.perCheckout || isOfNobody(mandate)) return
  seals.check(sealedOwner(mandate), mandate.ownerSeal)
}

/** Its customer was erased, which is when none of their mandates can be charged any more. */
function isOfNobody({ customerId, externalUserId, status }: MandateRow): boolean {
  return externalUserId === `erased:${customerId}` && !CHARGEABLE.has(status)
}
const CHARGEABLE: ReadonlySet<MandateRow['status']> = new Set<MandateRow['status']>(['pending', 'active', 'paused'])
