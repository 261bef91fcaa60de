import type { ConsoleRole } from '@mintmark/contract/console'
import type { SealedRow } from '../platform/row-seals.ts'

/** The address and the name of a person: an editor of the database gives no one's address to another. */
export function sealedPerson(person: {
  merchantId: string
  id: string
  email: string | null
  name: string
}): SealedRow {
  const { merchantId, id, email, name } = person
  return { table: 'people', merchantId, id, parts: [email, name] }
}

/** What a person may at an account. */
export function sealedMember(member: {
  merchantId: string
  accountId: string
  personId: string
  role: ConsoleRole
}): SealedRow {
  const { merchantId, accountId, personId, role } = member
  return { table: 'account_members', merchantId, id: personId, parts: [accountId, role] }
}

/** The person of a passkey, and which key signs. */
export function sealedPasskey(
  { merchantId, personId }: { merchantId: string; personId: string },
  { id, publicKey, backupEligible }: { id: string; publicKey: Uint8Array; backupEligible: boolean },
): SealedRow {
  return { table: 'people_passkeys', merchantId, id, parts: [personId, publicKey, String(backupEligible)] }
}

/** The person whose session a token opens, and where: an editor of the database signs in as none. */
export function sealedSession(session: {
  merchantId: string
  digest: Buffer
  id: string
  personId: string
  accountId: string
  passkeyId: string | null
  expiresAt: Date
}): SealedRow {
  const { merchantId, digest, id, personId, accountId, passkeyId, expiresAt } = session
  const parts = [digest, id, personId, accountId, passkeyId, expiresAt.toISOString()]
  return { table: 'people_sessions', merchantId, id: digest.toString('base64url').slice(0, 8), parts }
}
