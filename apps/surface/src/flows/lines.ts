import { hostText } from '@mintmark/contract/sentence'
import type { PaymentView, SurfaceCard } from '@mintmark/contract/wire/surface'
import { brandName, cardName } from '../card-text.ts'
import { momentText } from '../locale.ts'
import { foreign, type Phrase } from '../phrase.ts'
import { text } from '../text/text.ts'
import type { Said, TermLine } from './flow.ts'

export interface TermsPayee {
  name: string
  url: string
}

export interface TermsCard {
  brand: string | null
  last4: string
}

/** What is read of terms: the sentence that says them all, and the agent where one asks. */
export interface Asked {
  agent?: { name: string }
  sentence: Said
}

/** They come first: the agent that asks is not the payee. Nothing where a merchant asks. */
export function askedLines({ agent }: Asked): TermLine[] {
  return agent === undefined ? [] : [{ label: text.terms.agent, value: [foreign(agent.name)] }]
}

export function payeeText({ name, url }: TermsPayee): Phrase {
  // Torn apart, the first half of the address could be read as another one.
  return [foreign(name), ' ', { together: ['(', foreign(hostText(url)), ')'] }]
}

export function cardLine({ brand, last4 }: TermsCard): TermLine {
  return { label: text.terms.card, value: text.card.named(brandName(brand), last4) }
}

/** What a receipt of any kind says after what was approved; as much as is known. */
export function keptLines(
  card: SurfaceCard | null,
  receipt: PaymentView['receipt'],
  approvedLabel: string,
): TermLine[] {
  const lines: TermLine[] = []
  if (card !== null) lines.push({ label: text.terms.card, value: cardName(card) })
  if (receipt !== undefined) {
    lines.push(
      { label: approvedLabel, value: momentText(new Date(receipt.approved_at)) },
      { label: text.terms.reference, value: [foreign(receipt.reference)] },
    )
  }
  return lines
}
