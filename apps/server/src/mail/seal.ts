import type { ContactRole } from '@mintmark/contract'
import { isUntouched, type RowSeals, type SealedRow } from '../platform/row-seals.ts'

/** What must not be edited of a contact: where it is written to, as what, and that its owner has confirmed it. */
export interface SealedContact {
  merchantId: string
  id: string
  email: string
  role: ContactRole
  verifiedAt: Date | null
}

function sealedContact({ merchantId, id, email, role, verifiedAt }: SealedContact): SealedRow {
  return { table: 'contacts', merchantId, id, parts: [email, role, verifiedAt?.getTime() ?? null] }
}

export function contactSeal({ seals }: { seals: RowSeals }, contact: SealedContact): Buffer {
  return seals.seal(sealedContact(contact))
}

/** Throws `RowTampered` for a contact that was edited outside the program. */
export function checkContact(
  { seals }: { seals: RowSeals },
  { seal, ...contact }: SealedContact & { seal: Buffer | null },
): void {
  seals.check(sealedContact(contact), seal)
}

/** False for a contact that was edited outside the program, with an alarm. */
export function isOwnContact(deps: { seals: RowSeals }, contact: SealedContact & { seal: Buffer | null }): boolean {
  return isUntouched(() => checkContact(deps, contact))
}

/** What must not be edited of an owner's address: where it is, and that it was proven. */
interface SealedOwnerAddress {
  merchantId: string
  customerId: string
  email: string
  verifiedAt: Date | null
}

function sealedOwnerAddress({ merchantId, customerId, email, verifiedAt }: SealedOwnerAddress): SealedRow {
  return { table: 'owner_addresses', merchantId, id: customerId, parts: [email, verifiedAt?.getTime() ?? null] }
}

export function ownerAddressSeal({ seals }: { seals: RowSeals }, address: SealedOwnerAddress): Buffer {
  return seals.seal(sealedOwnerAddress(address))
}

/** Throws `RowTampered`. */
export function checkOwnerAddress(
  { seals }: { seals: RowSeals },
  { seal, ...address }: SealedOwnerAddress & { seal: Buffer | null },
): void {
  seals.check(sealedOwnerAddress(address), seal)
}
