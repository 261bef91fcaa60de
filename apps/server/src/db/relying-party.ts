import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { bool, text } from './row.ts'
import { execute, one } from './statement.ts'
import { transaction } from './transaction.ts'

// A database knows for which relying party its passkeys are. Browsers use them for no other one, so a process that
// names another would lock all cardholders out.

const findKept = one('deployment.find_relying_party', 'select rp_id from relying_party', { rpId: text })

const insertKept = execute(
  'deployment.insert_relying_party',
  // Never replaced: of two first starts with different names the second compares.
  'insert into relying_party (id, rp_id) values (true, $rpId) on conflict on constraint relying_party_pkey do nothing',
)

const updateKept = one(
  'deployment.update_relying_party',
  // None: another start was first. Then the name is read again.
  'update relying_party set rp_id = $rpId where rp_id = $was returning rp_id',
  { rpId: text },
)

const findPasskey = one(
  'deployment.find_passkey',
  'select exists (select 1 from passkeys where retired_at is null) as found',
  { found: bool },
)

/** What authenticators signed begins with the hash of the name. Others are looked for only where none is for it. */
const findSignedElsewhere = one(
  'deployment.find_signed_elsewhere',
  `select case when exists (${signedWith('and substring(authenticator_data from 1 for 32) = $hash')}) then false
     else exists (${signedWith('')}) end as found`,
  { found: bool },
)

function signedWith<const Condition extends string>(condition: Condition) {
  return `select 1 from approvals
     join passkeys on passkeys.merchant_id = approvals.merchant_id and passkeys.id = approvals.passkey_id
     where passkeys.retired_at is null ${condition}` as const
}

/**
 * Keeps the name of the relying party. Returns the one that the passkeys are for, if it is another one: then nothing
 * was changed. Null instead of a name: they were used before names were kept, and not for this one. Without a passkey
 * the name may change.
 */
export async function keepRelyingParty(pool: Pool, rpId: string): Promise<{ passkeysAreFor: string | null } | null> {
  for (;;) {
    const kept = (await findKept(pool))?.rpId
    if (kept === rpId) return null
    if (kept === undefined) {
      const hash = createHash('sha256').update(rpId).digest()
      if ((await findSignedElsewhere(pool, { hash }))?.found) return { passkeysAreFor: null }
      await transaction(pool, (tx) => insertKept(tx, { rpId }))
      continue
    }
    if ((await findPasskey(pool))?.found) return { passkeysAreFor: kept }
    if ((await transaction(pool, (tx) => updateKept(tx, { rpId, was: kept }))) !== undefined) return null
  }
}
