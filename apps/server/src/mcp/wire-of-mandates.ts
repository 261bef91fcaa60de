import type { ShownMandate } from '../mandates/service.ts'
import { toWireMandate } from '../mandates/wire.ts'
import type { ToolCaller } from './access.ts'
import type { CHARGERS } from './outputs.ts'

/** Where a mandate can come to be charged. */
const STANDING = ['pending', 'active', 'paused']

/** A mandate is of one agent, and only what its key signs charges it. */
export function chargeableBy(
  { perCheckout, status }: Pick<ShownMandate, 'perCheckout' | 'status'>,
  { hasKey }: Pick<ToolCaller, 'hasKey'>,
): (typeof CHARGERS)[number] {
  return hasKey && !perCheckout && STANDING.includes(status) ? 'your_key' : 'nobody'
}

export function toToolMandate(mandate: ShownMandate, caller: ToolCaller) {
  return { ...toWireMandate(mandate, caller), chargeableBy: chargeableBy(mandate, caller) }
}
