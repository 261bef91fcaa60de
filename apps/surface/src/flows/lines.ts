import { hostText } from '@mintmark/contract/sentence'
import type { PaymentView, SurfaceCard, SurfaceView } from '@mintmark/contract/wire/surface'
import { cardName } from '../card-text.ts'
import { momentText } from '../locale.ts'
import { type Foreign, foreign, type Phrase } from '../phrase.ts'
import { text } from '../text/text.ts'
import type { ReceiptLine } from './flow.ts'

/** The one that has asked: the cardholder's agent, or the merchant. */
export const askerOf = ({ agent }: Pick<SurfaceView, 'agent'>, merchantName: string): Foreign =>
  foreign(agent?.name ?? merchantName)

/** The view's agent, by the name that the terms say. */
export function agreedAgent({ agent }: SurfaceView, terms: { agent?: { name: string } }): SurfaceView['agent'] {
  return terms.agent === undefined ? null : { name: terms.agent.name, owner_url: agent?.owner_url ?? null }
}

export function payeeText({ name, url }: { name: string; url: string }): Phrase {
  // Torn apart, the first half of the address could be read as another one.
  return [foreign(name), ' ', { together: ['(', foreign(hostText(url)), ')'] }]
}

/** What a receipt of any kind says after what was approved; as much as is known. */
export function keptLines(
  card: SurfaceCard | null,
  receipt: PaymentView['receipt'],
  approvedLabel: string,
): ReceiptLine[] {
  const lines: ReceiptLine[] = []
  if (card !== null) lines.push({ label: text.receipt.card, value: cardName(card) })
  if (receipt !== undefined) {
    lines.push(
      { label: approvedLabel, value: momentText(new Date(receipt.approved_at)) },
      { label: text.receipt.reference, value: [foreign(receipt.reference)] },
    )
  }
  return lines
}
