import { SENTENCE_VERSION, sentenceOf } from '@mintmark/contract/sentence'
import type { MandateTerms, PaymentTerms } from '@mintmark/contract/wire/surface'
import { mostTotal } from '../mandates/service.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { PaymentSession, SetupSession } from './store.ts'

// What an agent asks its owner for, in the one sentence that is signed.

type Sentence = NonNullable<PaymentTerms['sentence']>
type AgentTerms = Pick<MandateTerms, 'agent' | 'sentence'>
interface Asking {
  agentName: string
  payeeName: string
  amountMinor: bigint
  currency: string
}

/** The languages in which people are asked; one, until there are more. */
const LANGUAGE = 'en'
const sentence = (text: string): Sentence => ({ version: SENTENCE_VERSION, language: LANGUAGE, text })

const asked = ({ agentName: agent, payeeName: payee, amountMinor, currency }: Asking) => ({
  ...{ agent, payee, amount: amountFromMinor(amountMinor), currency },
})

export function paymentSentence(session: Asking & Pick<PaymentSession, 'effectiveMinutes'>): Sentence {
  const { effectiveMinutes: validMinutes } = session
  return sentence(sentenceOf({ ...asked(session), type: 'payment', validMinutes }, LANGUAGE))
}

type AskedMandate = Pick<SetupSession, 'frequency' | 'merchantScope' | 'maxCharges' | 'validUntil' | 'createdAt'>

export function mandateSentence(session: Asking & AskedMandate): Sentence {
  const { frequency, merchantScope, maxCharges, validUntil } = session
  const limits = {
    ...{ frequency, merchantScope, maxCharges, validUntil: frequency === 'one_time' ? null : validUntil },
    mostTotal: amountFromMinor(mostTotal(session)),
  }
  return sentence(sentenceOf({ ...asked(session), ...limits, type: 'mandate' }, LANGUAGE))
}

/** What terms say of the agent that asks; nothing where a merchant does. */
export function agentTerms<Session extends { agentId: string | null; agentName: string | null }>(
  session: Session,
  sentenceFor: (session: Session & { agentName: string }) => Sentence,
): AgentTerms {
  const { agentId: id, agentName: name } = session
  if (id === null || name === null) return {}
  return { agent: { id, name }, sentence: sentenceFor({ ...session, agentName: name }) }
}
