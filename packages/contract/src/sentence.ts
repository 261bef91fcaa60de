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

/** The sentence, in this language. Equal statements have equal sentences. */
export function sentenceOf(asked: PaymentAsked | MandateAsked | ChargeAsked, language: SentenceLanguage): string {
  const money = (amount: string) =>
    new Intl.NumberFormat(language, { style: 'currency', currency: asked.currency }).format(Number(amount))
  switch (asked.type) {
    case 'payment':
      return paymentSentence(asked, money)
    case 'mandate':
      return mandateSentence(asked, money, language)
    case 'charge':
      return chargeSentence(asked, money)
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
