import { button } from '../button.ts'
import { h, heading, paragraph } from '../dom.ts'
import { noticeIcon } from '../icons.tsx'
import type { Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'
import { enterCard } from './enter-card.tsx'
import { savedCards } from './saved-cards.tsx'

/**
 * The step `card`: the saved ones first when there are any, with a way between the two. `back` leads from the card's
 * fields to where the cardholder came from, if that is no list. Where the network takes no typed number there are no
 * fields, and no way to them.
 */
export function chooseCard(host: ScreenHost, back: (() => void) | null = null): Screen {
  const { cards, card_entry } = host.view
  if (card_entry !== undefined && cards.length > 0) return savedCards(host, null)
  if (card_entry === 'account') return madeCard(host)
  if (card_entry !== undefined) return noCard()
  if (cards.length === 0) return enterCard(host, back)
  const saved = (): Screen => savedCards(host, () => host.show(enterCard(host, () => host.show(saved()))))
  return saved()
}

/** The network makes a card from an account of the operator: nothing is typed, one press asks for it. */
function madeCard(host: ScreenHost): Screen {
  const goOn = button(text.buttons.continue, () => host.perform(() => host.backend.useAccount()), {
    busy: text.madeCard.busy,
  })
  const element = h('div', { class: 'drawn' }, heading(text.madeCard.title), paragraph(text.madeCard.text), goOn)
  return { element }
}

function noCard(): Screen {
  const element = h('div', { class: 'centered' }, noticeIcon(), heading(text.noCard.title), paragraph(text.noCard.text))
  return { element }
}
