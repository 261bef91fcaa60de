import { type Behaviour, TEST_CARDS } from '../test-cards.ts'

/** The number of the first test card with this script. */
export function numberOf(behaviour: Behaviour): string {
  const card = TEST_CARDS.find((candidate) => candidate.behaviour === behaviour)
  if (card === undefined) throw new Error(`No test card for ${behaviour}.`)
  return card.number
}
