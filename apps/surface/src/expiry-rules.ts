import type { Problem } from './card-rules.ts'
import { digitsOf } from './digit-text.ts'
import { text } from './text/text.ts'

export interface Expiry {
  month: number
  year: number
}

/** No network issues cards that live longer. */
const MAX_LIFE_YEARS = 20

/**
 * Every shape a person or a browser's autofill brings: `12 / 30`, `12/2030`, `2030-12`, `1230`, `122030`, `1 / 30`.
 * Null when it is none of them.
 */
export function parseExpiry(text: string): Expiry | null {
  const trimmed = text.trim()
  const yearFirst = /^(\d{4})\s*[-/.]\s*(\d{1,2})$/.exec(trimmed)
  if (yearFirst) return expiryOf(yearFirst[2], yearFirst[1])
  const parts = /^(\d{1,2})\s*[-/. ]\s*(\d{4}|\d{2})$/.exec(trimmed) ?? /^(\d{2})(\d{4}|\d{2})$/.exec(trimmed)
  return parts ? expiryOf(parts[1], parts[2]) : null
}

function expiryOf(month: string | undefined, year: string | undefined): Expiry | null {
  const expiry = { month: Number(month), year: Number(year) + (year?.length === 2 ? 2000 : 0) }
  return expiry.month >= 1 && expiry.month <= 12 ? expiry : null
}

/** `1` stays, `5` → `05 / `, `12` → `12 / `, `1230` and `122030` → `12 / 30`. */
export function formatExpiryDigits(digits: string): string {
  const padded = /^[2-9]/.test(digits) ? `0${digits}` : digits
  if (padded.length < 2) return padded
  const year = padded.slice(2)
  return `${padded.slice(0, 2)} / ${year.length >= 4 && year.startsWith('20') ? year.slice(2, 4) : shortYear(year)}`
}

/** `20` may be the start of 2030 still being typed, so a third digit stays until the fourth decides. */
function shortYear(year: string): string {
  return year.startsWith('20') ? year.slice(0, 4) : year.slice(0, 2)
}

/** A whole date, as autofill brings it in one step, in our own shape; null when the text is still being typed. */
export function completeExpiryText(text: string): string | null {
  const expiry = parseExpiry(text)
  if (expiry === null || !/\D|^\d{6}$/.test(text.trim())) return null
  return expiryText(expiry)
}

export function expiryText({ month, year }: Expiry): string {
  return `${String(month).padStart(2, '0')} / ${String(year % 100).padStart(2, '0')}`
}

/** A card is good until the last moment of its month, by the service's clock, not the device's. */
export function isExpired({ month, year }: Expiry, now: Date): boolean {
  return year * 12 + (month - 1) < now.getUTCFullYear() * 12 + now.getUTCMonth()
}

export function expiryProblem(entered: string, now: Date): Problem {
  if (digitsOf(entered) === '') return text.expiry.missing
  const expiry = parseExpiry(entered)
  if (expiry === null) return text.expiry.unreadable
  if (isExpired(expiry, now)) return text.expiry.past
  return expiry.year > now.getUTCFullYear() + MAX_LIFE_YEARS ? text.expiry.far : null
}
