import type { Screen, ScreenHost } from '../screen.ts'
import { enterCard } from './enter-card.ts'
import { savedCards } from './saved-cards.ts'

/** The step `card`: the saved ones first when there are any, with a way between the two. */
export function chooseCard(host: ScreenHost): Screen {
  if (host.view.cards.length === 0) return enterCard(host, null)
  const saved = (): Screen => savedCards(host, () => host.show(enterCard(host, () => host.show(saved()))))
  return saved()
}
