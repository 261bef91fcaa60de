import { isUntouched, type RowSeals, type SealedRow } from '../platform/row-seals.ts'

// Which pages may frame the cardholder's page, approve in it, and use the publishable key. Only the operator says so, and what they said is
// sealed: one row would otherwise open all three.

interface Origins {
  merchantId: string
  allowedOrigins: readonly string[]
}

function sealedOrigins({ merchantId, allowedOrigins }: Origins): SealedRow {
  return { table: 'merchants', merchantId, id: merchantId, parts: ['origins', ...allowedOrigins] }
}

export function originsSeal({ seals }: { seals: RowSeals }, origins: Origins): Buffer {
  return seals.seal(sealedOrigins(origins))
}

/**
 * The origins of an account as its operator said them. None where they were edited outside the program, with an alarm: then the page is
 * in no frame, and a cardholder who comes to it by a link of its own still pays.
 */
export function untouchedOrigins(
  { seals }: { seals: RowSeals },
  { originsSeal: seal, ...origins }: Origins & { originsSeal: Buffer | null },
): readonly string[] {
  return isUntouched(() => seals.check(sealedOrigins(origins), seal)) ? origins.allowedOrigins : []
}
