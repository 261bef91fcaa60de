import { locale } from './text/language.ts'

/** As a person reads it. */
export function money(amount: string, currency: string): string {
  const number = Number(amount)
  const whole = Number.isInteger(number) ? { minimumFractionDigits: 0 } : {}
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...whole }).format(number)
}

export function time(iso: string): string {
  return new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' }).format(new Date(iso))
}

export function day(iso: string): string {
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }).format(new Date(iso))
}

/** A day with its year, as a head over what happened on it. */
export function dayOf(iso: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(iso))
}

/** A moment, exact to the second. */
export function moment(iso: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso))
}

/** The last whole day, UTC, before a moment at which a month or a permission ends. */
export function dayBefore(iso: string): string {
  const last = new Date(Date.parse(iso) - 1)
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(last)
}

/** The first and last characters of a long name, which people compare. */
export function short(name: string): string {
  return name.length <= 14 ? name : `${name.slice(0, 6)}…${name.slice(-6)}`
}
