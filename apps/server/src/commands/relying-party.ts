import type { Pool } from 'pg'
import { keepRelyingParty } from '../db/relying-party.ts'

/** Passkeys work for the relying party that they were made for, and for no other. */
export async function refuseOtherRelyingParty(pool: Pool, rpId: string): Promise<void> {
  const other = await keepRelyingParty(pool, rpId)
  if (other === null) return
  const { passkeysAreFor: name } = other
  const wayOut =
    name === null
      ? 'Set RP_ID to the host that SURFACE_URL had when they were made'
      : `Set RP_ID=${name}, or SURFACE_URL and OWNER_URL to hosts that are there`
  throw new Error(
    `The passkeys of this database were made for ${name ?? 'another domain'}, and this start is for ${rpId}: no cardholder ` +
      `could sign with one any more. ${wayOut}. Nothing was changed.`,
  )
}
