import { moneyText } from '@mintmark/contract/sentence'
import { READER } from './sentence.ts'

/** As the sentence beside it says it, to the letter: one amount that is written in two ways looks like two. */
export const money = (amount: string, currency: string) => moneyText(amount, currency, READER)

export function time(iso: string): string {
  return new Intl.DateTimeFormat(navigator.language, { hour: 'numeric', minute: '2-digit' }).format(new Date(iso))
}

/** A moment that is over, in the language of the words around it. */
export function moment(iso: string): string {
  return new Intl.DateTimeFormat(READER.locale, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(iso))
}

export function day(iso: string): string {
  return new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short' }).format(new Date(iso))
}

/** A time of another day with its day. */
export function when(iso: string): string {
  return new Date(iso).toDateString() === new Date().toDateString() ? time(iso) : `${day(iso)}, ${time(iso)}`
}

/** The first and last characters of a long name, which people compare. */
export function short(name: string): string {
  return name.length <= 14 ? name : `${name.slice(0, 6)}…${name.slice(-6)}`
}
