import { changedBy } from '../limits.ts'
import { madeOnce } from '../made-once.ts'
import type { AgentLimits } from '../wire/agents.ts'
import type { Asked, JoinAsked, LimitsAsked, LinkAsked, MandateAsked } from './asked.ts'
import { dayText, durationText, hostText, listText, moneyText, type Reader } from './format.ts'
import type { Reading } from './reading.ts'
import type { SentenceLanguage } from './version.ts'
import { ar } from './words/ar.ts'
import { de } from './words/de.ts'
import { en } from './words/en.ts'
import { es } from './words/es.ts'
import { fr } from './words/fr.ts'
import { ja } from './words/ja.ts'
import type { End, SentenceWords } from './words.ts'

const WORDS: Record<SentenceLanguage, SentenceWords> = { en, de, fr, es, ja, ar }

/** What is asked for, as one sentence for this reader. Equal statements have equal sentences. */
export function sentenceOf(asked: Asked, reading: Reading): string {
  return sentenceIn(WORDS[reading.language], asked, reading)
}

/** The same in the words of one language, for who has only that one. */
export function sentenceIn(words: SentenceWords, asked: Asked, reader: Reader): string {
  const money = (amount: string, currency: string) => moneyText(amount, currency, reader)
  const payee = 'payee' in asked ? payeeText(asked, reader) : ''
  const agent = 'agent' in asked && asked.agent !== null ? apart(asked.agent, reader) : null
  switch (asked.type) {
    case 'payment':
      return words.payment({
        payee,
        agent,
        amount: money(asked.amount, asked.currency),
        end: { kind: 'span', text: durationText(asked.validMinutes, reader) },
      })
    case 'quote':
      return words.quote({
        ...{ payee, agent, amount: money(asked.amount, asked.currency) },
        operator: apart(asked.operator, reader),
      })
    case 'mandate':
      return words.mandate({
        ...{ payee, agent, amount: money(asked.amount, asked.currency), most: money(asked.mostTotal, asked.currency) },
        ...{ frequency: asked.frequency, onlyThere: asked.merchantScope === 'listed', times: asked.maxCharges },
        end: mandateEnd(asked, reader),
      })
    case 'enrollment':
      return words.enrollment({ payee, operator: apart(asked.operator, reader) })
    case 'charge':
      return words.charge({
        ...{ payee, agent: apart(asked.agent, reader), amount: money(asked.amount, asked.currency) },
        span: durationText(WEEK, reader),
      })
    case 'link':
      return linkSentence(words, asked, reader)
    case 'join':
      return words.join({
        ...{ asks: apart(asked.asks, reader), agent: apart(asked.agent, reader) },
        may: linkSentence(words, asked, reader),
      })
    case 'limits':
      return limitsSentence(words, asked, reader)
  }
}

const WEEK = 7 * 1_440

function mandateEnd({ validUntil }: MandateAsked, reader: Reader): End {
  if (validUntil === null) return { kind: 'span', text: durationText(WEEK, reader) }
  return { kind: 'day', text: dayText(validUntil, reader) }
}

function linkSentence(words: SentenceWords, asked: LinkAsked | JoinAsked, reader: Reader): string {
  const { merchants, hours, charge, day, month, open, ask_above: above, ask_repeats: repeats = false } = asked
  const money = (amount: string) => moneyText(amount, asked.currency, reader)
  const caps = [
    ...(charge === null ? [] : [words.caps.charge(money(charge))]),
    ...(day === null ? [] : [words.caps.day(money(day))]),
    ...(month === null ? [] : [words.caps.month(money(month))]),
    ...(open === null ? [] : [words.caps.open(open)]),
  ]
  const asks = [...(above === null ? [] : [words.asks.above(money(above))]), ...(repeats ? [words.asks.repeats] : [])]
  return words.link({
    agent: apart(asked.agent, reader),
    merchants: merchants === null ? null : listText(merchants, reader),
    hours,
    caps: caps.length === 0 ? null : listText(caps, reader),
    asks: asks.length === 0 ? null : listText(asks, reader, 'disjunction'),
  })
}

/** What changes, each with what it was. What stays is not said again: the owner has signed it before. */
function limitsSentence({ changes }: SentenceWords, { agent, was, limits }: LimitsAsked, reader: Reader): string {
  const [before, after] = [valuesOf(changes, was, reader), valuesOf(changes, limits, reader)]
  const said = changedBy(was, limits).map((field) => changes.instead(after[field], before[field]))
  return changes.said({ agent: apart(agent, reader), changes: said })
}

function valuesOf(
  words: SentenceWords['changes'],
  limits: AgentLimits,
  reader: Reader,
): Record<keyof AgentLimits, string> {
  const { currency, charge, day, month, open, merchants, hours, ask_above: above, ask_repeats: repeats } = limits
  const most = (amount: string | null) => (amount === null ? null : moneyText(amount, currency, reader))
  return {
    currency,
    ...{ charge: words.charge(most(charge)), day: words.day(most(day)), month: words.month(most(month)) },
    ...{ open: words.open(open), hours: words.hours(hours), ask_above: words.above(most(above)) },
    merchants: words.merchants(merchants === null ? null : listText(merchants, reader)),
    ask_repeats: words.repeats(repeats === true),
  }
}

/** A name and the host beside it, which is said once where it is the name. */
function payeeText(asked: Extract<Asked, { payee: string }>, reader: Reader): string {
  const name = apart(asked.payee, reader)
  if (asked.type === 'enrollment') return name
  const host = hostText(asked.payeeUrl)
  return host === asked.payee ? name : `${name} (${apart(host, reader)})`
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** A name that runs against the sentence stands apart in it, so that it turns nothing around it. Other names stay as they are. */
function apart(name: string, { locale }: Reader): string {
  // In a sentence from right to left a name of digits turns as well.
  return languageOf(locale) === 'ar' || RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name
}

const languageOf = madeOnce((locale: string) => new Intl.Locale(locale).language)
