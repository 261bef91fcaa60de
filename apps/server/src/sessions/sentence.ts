import { type Reading, readingOf, SENTENCE_VERSION, sentenceOf } from '@mintmark/contract/sentence'
import type { Sentence } from '@mintmark/contract/wire/sentence'
import type { ApprovalTerms, MandateTerms, ReaderInfo } from '@mintmark/contract/wire/surface'
import { mostTotal } from '../mandates/service.ts'
import { amountFromMinor } from '../platform/money.ts'
import { sessionChanged } from './errors.ts'
import type { EnrollmentSession, PaymentSession, SetupSession } from './store.ts'

// What a person is asked for, in the one sentence that is signed.

/** For whom terms are said, and by whom. */
export interface Telling {
  reading: Reading
  /** The operator, who keeps the card, by name. */
  operator: string
}

type Teller = { operatorName: string }
type Read = { locale: string | null }

/** How a session's terms are told to the reader of a page. */
export function tellingOf({ operatorName: operator }: Teller, { locale }: Read, reader: ReaderInfo): Telling {
  return { reading: readingOf([locale, reader.locale], reader.time_zone), operator }
}

/** How an agent's request is told before a reader has opened it. */
export const toldByAgents = ({ operatorName: operator }: Teller): Telling => ({ reading: readingOf([]), operator })

/** How terms were told that come back signed. Those of other words, or of the operator's former name, are asked for anew. */
export function toldIn({ operatorName }: Teller, { locale }: Read, terms: ApprovalTerms): Telling {
  // Text that was signed: what an earlier release asked for has neither.
  const { sentence, operator } = terms as Partial<ApprovalTerms>
  if (sentence?.version !== SENTENCE_VERSION || operator !== operatorName) throw sessionChanged()
  return { reading: readingOf([locale, sentence.locale], sentence.time_zone), operator }
}

const said = (reading: Reading, asked: Parameters<typeof sentenceOf>[0]): Sentence => ({
  ...{ version: SENTENCE_VERSION, language: reading.language, locale: reading.locale, time_zone: reading.timeZone },
  text: sentenceOf(asked, reading),
})

interface Asking {
  /** Absent: a merchant asks. */
  agentName: string | null
  payeeName: string
  payeeUrl: string
  amountMinor: bigint
  currency: string
}
const asked = ({ agentName: agent, payeeName: payee, payeeUrl, amountMinor, currency }: Asking) => ({
  ...{ agent, payee, payeeUrl, amount: amountFromMinor(amountMinor), currency },
})

/** The shop's own payment, or what the operator buys for the cardholder. */
export function paymentSentence(
  session: Asking & Pick<PaymentSession, 'effectiveMinutes' | 'quoteId'>,
  { reading, operator }: Telling,
): Sentence {
  const { effectiveMinutes: validMinutes, quoteId } = session
  if (quoteId !== null) return said(reading, { ...asked(session), type: 'quote', operator })
  return said(reading, { ...asked(session), type: 'payment', validMinutes })
}

type AskedMandate = Pick<SetupSession, 'frequency' | 'merchantScope' | 'maxCharges' | 'validUntil' | 'createdAt'>

export function mandateSentence(session: Asking & AskedMandate, { reading }: Telling): Sentence {
  const { frequency, merchantScope, maxCharges, validUntil } = session
  const limits = {
    ...{ frequency, merchantScope, maxCharges, validUntil: frequency === 'one_time' ? null : validUntil },
    mostTotal: amountFromMinor(mostTotal(session)),
  }
  return said(reading, { ...asked(session), ...limits, type: 'mandate' })
}

export function enrollmentSentence(
  { payeeName: payee }: Pick<EnrollmentSession, 'payeeName'>,
  told: Telling,
): Sentence {
  const { reading, operator } = told
  return said(reading, { type: 'enrollment', operator, payee })
}

/** What terms say of the agent that asks; nothing where a merchant does. */
export function agentTerms({
  agentId: id,
  agentName: name,
}: {
  agentId: string | null
  agentName: string | null
}): Pick<MandateTerms, 'agent'> {
  return id === null || name === null ? {} : { agent: { id, name } }
}
