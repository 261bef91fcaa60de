import { randomBytes } from 'node:crypto'
import { BASE32_ALPHABET } from '../platform/ids.ts'
import type { RowSeals } from '../platform/row-seals.ts'

/** 40 bits, for ten minutes: trying finds none. */
const CHARACTERS = 8

/** What one device shows and the other one types, in two groups. */
export function newDeviceCode(): string {
  const characters = Array.from(randomBytes(CHARACTERS), (byte) => BASE32_ALPHABET[byte & 31]).join('')
  return `${characters.slice(0, 4)}-${characters.slice(4)}`.toUpperCase()
}

/** What is stored of it, however it is typed: what is easily misread is read as what it must be. */
export function deviceCodeHash(seals: RowSeals, merchantId: string, typed: string): Buffer {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return seals.seal({ table: 'owner_devices', merchantId, id: 'code', parts: [code] })
}
