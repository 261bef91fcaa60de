import type { PaymentView, SurfaceCard } from '@mintmark/contract/wire/surface'
import { brandName, cardName } from '../card-text.ts'
import { momentText } from '../locale.ts'
import { hostText } from '../money-text.ts'
import { filledText, foreign, type Phrase } from '../phrase.ts'
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

/** All terms in one sentence, and who asks where an agent does. */
export interface Asked {
  agent?: { name: string }
  sentence: Said
}

/** It comes first: who asks is not who is paid. Nothing where a merchant asks. */
export function askedLines({ agent }: Asked): TermLine[] {
  return agent === undefined ? [] : [{ label: text.terms.agent, value: [foreign(agent.name)] }]
}

export function payeeText({ name, url }: TermsPayee): Phrase {
  // Torn apart, the first half of the address could be read as another one.
  return [foreign(name), ' ', { together: ['(', foreign(hostText(url)), ')'] }]
}

/** The card that is signed for: another tab may have chosen it meanwhile. */
export function cardAgreed(
  { card, cards }: Pick<PaymentView, 'card' | 'cards'>,
  { brand, last4 }: TermsCard,
): SurfaceCard | null {
  const isIt = (one: SurfaceCard) => one.card_brand === brand && one.card_last4 === last4
  if (card === null || isIt(card)) return card
  return cards.find(isIt) ?? { ...card, card_id: '', card_brand: brand, card_last4: last4 }
}

export function cardLine({ brand, last4 }: TermsCard): TermLine {
  return { label: text.terms.card, value: filledText(text.card.named, { brand: brandName(brand), last4 }) }
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
    const { approved_at, order_number: number } = receipt
    lines.push({ label: approvedLabel, value: momentText(new Date(approved_at)) })
    if (number !== null) lines.push({ label: text.terms.orderNumber, value: [foreign(number)] })
  }
  return lines
}
