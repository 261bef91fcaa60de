import type { Desk, Screen } from '../screen.ts'
import { enterCard } from './enter-card.ts'
import { savedCards } from './saved-cards.ts'

/** The step `card`: the saved ones first when there are any, with a way between the two. */
export function chooseCard(desk: Desk): Screen {
  if (desk.view.cards.length === 0) return enterCard(desk, null)
  const saved = (): Screen => savedCards(desk, () => desk.show(enterCard(desk, () => desk.show(saved()))))
  return saved()
}
