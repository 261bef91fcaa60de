import type { Screen, ScreenHost } from '../screen.ts'
import { enterCard } from './enter-card.ts'
import { savedCards } from './saved-cards.ts'

/**
 * The step `card`: the saved ones first when there are any, with a way between the two. `back` leads from the card's fields to where
 * the cardholder came from, if that is no list.
 */
export function chooseCard(host: ScreenHost, back: (() => void) | null = null): Screen {
  if (host.view.cards.length === 0) return enterCard(host, back)
  const saved = (): Screen => savedCards(host, () => host.show(enterCard(host, () => host.show(saved()))))
  return saved()
}
