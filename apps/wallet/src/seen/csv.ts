import type { ActivityCharge } from '@mintmark/contract/wire/owner-activity'

const COLUMNS = [
  'created_at',
  'charge_id',
  'agent',
  'shop',
  'shop_host',
  'amount',
  'currency',
  'outcome',
  'code',
  'limit',
  'mandate_id',
] as const satisfies readonly (keyof ActivityCharge)[]

/** A table by RFC 4180. What begins as a formula of a spreadsheet is a text: names are the agent's and the shop's. */
export function csvOf(charges: readonly ActivityCharge[]): string {
  const lines = charges.map((charge) => COLUMNS.map((column) => cell(charge[column])).join(','))
  return [COLUMNS.join(','), ...lines, ''].join('\r\n')
}

function cell(value: string | null): string {
  const text = value ?? ''
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
