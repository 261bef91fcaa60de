import type { MerchantScope, RecurringFrequency } from './states.ts'

// What a cardholder is asked for, as one sentence: part of the statement that the passkey signs, word for word.

/** The version of the words. Statements that were signed keep theirs. */
export const SENTENCE_VERSION = 1
export const SENTENCE_LANGUAGES = ['en'] as const
export type SentenceLanguage = (typeof SENTENCE_LANGUAGES)[number]

interface Asked {
  /** What the agent is called. */
  agent: string
  payee: string
  /** A decimal text, and its ISO 4217 currency. */
  amount: string
  currency: string
}

/** One purchase. */
export interface PaymentAsked extends Asked {
  type: 'payment'
  /** How long the approval is good. */
  validMinutes: number
}

/** A standing permission. */
export interface MandateAsked extends Asked {
  type: 'mandate'
  frequency: RecurringFrequency
  merchantScope: MerchantScope
  /** Null: only the cap limits their number. */
  maxCharges: number | null
  /** Null: seven days from the approval. */
  validUntil: Date | null
  mostTotal: string
}

/** One charge beyond a limit. */
export interface ChargeAsked extends Asked {
  type: 'charge'
}

/** What an owner allows an agent that is to be linked. */
export interface LinkAsked {
  type: 'link'
  agent: string
  currency: string
  charge: string | null
  day: string | null
  month: string | null
  open: number | null
  merchants: readonly string[] | null
  hours: { from: string; to: string; zone: string } | null
  ask_above: string | null
  ask_repeats?: boolean
}

/** The sentence, in this language. Equal statements have equal sentences. */
export function sentenceOf(
  asked: PaymentAsked | MandateAsked | ChargeAsked | LinkAsked,
  language: SentenceLanguage,
): string {
  const money = (amount: string) =>
    new Intl.NumberFormat(language, { style: 'currency', currency: asked.currency }).format(Number(amount))
  switch (asked.type) {
    case 'payment':
      return paymentSentence(asked, money)
    case 'mandate':
      return mandateSentence(asked, money, language)
    case 'charge':
      return chargeSentence(asked, money)
    case 'link':
      return linkSentence(asked, money, language)
  }
}

type Money = (amount: string) => string

function paymentSentence({ agent, payee, amount, validMinutes }: PaymentAsked, money: Money): string {
  return (
    `${agent} gets a one-time card for up to ${money(amount)}, to pay ${payee}. It works only there, once, ` +
    `within ${duration(validMinutes)} of your approval. Your real card stays here.`
  )
}

function chargeSentence({ agent, payee, amount }: ChargeAsked, money: Money): string {
  return (
    `${agent} may pay ${payee} ${money(amount)}, this once, although that is more than you allow without asking. ` +
    'It gets a one-time card that works only there, within 7 days. Your limits stay as they are, and your real card stays here.'
  )
}

function linkSentence(asked: LinkAsked, money: Money, language: SentenceLanguage): string {
  const { agent, merchants, hours, open } = asked
  const list = (parts: readonly string[]) => new Intl.ListFormat(language, { type: 'conjunction' }).format(parts)
  const where = merchants === null ? 'any shop' : list(merchants)
  const when = hours === null ? '' : ` between ${hours.from} and ${hours.to} (${hours.zone})`
  const caps = [
    ...(asked.charge === null ? [] : [`${money(asked.charge)} a charge`]),
    ...(asked.day === null ? [] : [`${money(asked.day)} a day`]),
    ...(asked.month === null ? [] : [`${money(asked.month)} a month`]),
    ...(open === null ? [] : [open === 1 ? 'one charge open at a time' : `${open} charges open at once`]),
  ]
  const most = caps.length === 0 ? 'without a limit of its own' : `at most ${list(caps)}`
  return (
    `${agent} may ask you for purchases and permissions. Within the permissions you give it, it may pay ${where}${when} ` +
    `without asking again, ${most}. ${asking(asked, money)}It never sees your real card, and you can end this at any time.`
  )
}

function asking({ ask_above: above, ask_repeats: repeats = false }: LinkAsked, money: Money): string {
  const amount = above === null ? '' : `a charge is more than ${money(above)}`
  const repeat = repeats ? 'a charge repeats another of the last five minutes' : ''
  const cases = [amount, repeat].filter((each) => each !== '')
  return cases.length === 0 ? '' : `It asks you first when ${cases.join(' or when ')}. `
}

function mandateSentence(asked: MandateAsked, money: Money, language: SentenceLanguage): string {
  const { agent, payee, amount, frequency, merchantScope, maxCharges, validUntil, mostTotal } = asked
  const where = merchantScope === 'listed' ? `${payee}, and nobody else,` : 'any shop'
  const end =
    validUntil === null
      ? 'within 7 days of your approval'
      : `until ${new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(validUntil)}`
  const count = maxCharges === null ? '' : `, ${maxCharges === 1 ? 'once' : `${maxCharges} times`} at most`
  return (
    `${agent} may pay ${where} up to ${money(amount)}${EACH[frequency]}${count}, ${end}, without asking again. ` +
    `The most this can ever cost you is ${money(mostTotal)}. Your real card stays here.`
  )
}

const EACH: Record<RecurringFrequency, string> = {
  one_time: '',
  weekly: ' each week',
  monthly: ' each month',
  yearly: ' each year',
}

/** The largest unit that says it exactly: `10080` is `7 days`, `90` is `90 minutes`. */
function duration(minutes: number): string {
  const [size, unit] = UNITS.find(([each]) => minutes % each === 0) ?? UNITS[2]
  const count = minutes / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const UNITS = [
  [1_440, 'day'],
  [60, 'hour'],
  [1, 'minute'],
] as const
