import { hash } from 'node:crypto'
import type { SignatureParameters } from './signature/profile.ts'

// A ring of slots, each of five minutes by `created` of the signature. A request that is sent again has the same `created` and meets itself in
// its slot, whichever node it comes to. A signature lives seven minutes at most, with both skews: two slots away it is past.

/** As many as there are partitions of `agent_nonces`. */
export const SLOTS = 8
const SLOT_SECONDS = 300
const DIGEST_BYTES = 16

const slotAt = (seconds: number) => Math.floor(seconds / SLOT_SECONDS)
const inRing = (slot: number) => ((slot % SLOTS) + SLOTS) % SLOTS

/** The row of a nonce, and the slots beside it, where a nonce that its agent uses a second time may be. */
export function nonceOf(thumbprint: string, { created, nonce }: Pick<SignatureParameters, 'created' | 'nonce'>) {
  const slot = slotAt(created)
  const digest = hash('sha256', `${thumbprint}\n${nonce}`, 'buffer').subarray(0, DIGEST_BYTES)
  const slotsBeside = [-2, -1, 1, 2].map((distance) => inRing(slot + distance))
  return { slot: inRing(slot), slotsBeside, nonceDigest: digest }
}

/** The slots in which nothing can be that is still good. */
export function pastSlots(now: Date): number[] {
  const slot = slotAt(now.getTime() / 1000)
  return [3, 4, 5].map((distance) => inRing(slot + distance))
}

/**
 * CTE `spent`: the nonce of a request, if it is new. However many requests have it, on any node, one gets a row: by the key where they are
 * the same request.
 */
export const SPEND_NONCE = `spent as (
     insert into agent_nonces (merchant_id, slot, digest)
     select $merchantId, $slot::smallint, $nonceDigest::bytea
     where not exists (
       select 1 from agent_nonces
       where merchant_id = $merchantId and slot = any($slotsBeside::smallint[]) and digest = $nonceDigest)
     on conflict do nothing
     returning slot
   )` as const
