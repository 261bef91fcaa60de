import type { SurfaceCard } from '@mintmark/contract/wire/surface'
import { Button } from '@mintmark/ui/button.tsx'
import { CardChoice } from '@mintmark/ui/card.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { knownBrand } from '../card-text.ts'
import { heading } from '../dom.ts'
import { drawing, Placed } from '../draw.tsx'
import { ruleFor } from '../errors.ts'
import { isExpired } from '../expiry-rules.ts'
import { holdPresses } from '../hold-presses.ts'
import { formOf, numberText } from '../locale.ts'
import { filledText } from '../phrase.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { CardName, ExpiryNote, Trouble } from '../screen-parts.tsx'
import { text } from '../text/text.ts'
import { type CardRemoval, createCardRemoval, RemoveButton } from './remove-card.tsx'

/** More than these fold. */
const SHOWN_CARDS = 3

export function usableCards(cards: readonly SurfaceCard[], now: Date): SurfaceCard[] {
  return cards.filter(({ card_exp_month: month, card_exp_year: year }) => !isExpired({ month, year }, now))
}

/** Where no card is chosen, and none could be: they are all expired, or the one that was to be used was refused. */
export function savedCards(host: ScreenHost, useAnother: (() => void) | null): Screen {
  const title = heading(text.savedCards.title)
  const choice = createCardChoice(host, () => drawn.again())
  const drawn = drawing(() => (
    <>
      <Placed element={title} />
      {host.trouble && <Trouble trouble={host.trouble} />}
      <CardList host={host} choice={choice} useAnother={useAnother} />
    </>
  ))
  return { element: drawn.element }
}

/** The cards there are; one press takes one. */
export function CardList({ host, choice: { refusal, take, removal }, useAnother, chosen, keep }: CardListProps) {
  const { cards } = host.view
  const usable = usableCards(cards, host.now())
  const [first, more] = [cards.slice(0, SHOWN_CARDS), cards.slice(SHOWN_CARDS)]
  const choice = (card: SurfaceCard) => (
    <li key={card.card_id}>
      {removal.asks(card) ? (
        <Placed element={removal.bar} />
      ) : (
        <>
          <CardChoice
            brand={knownBrand(card.card_brand)}
            name={<CardName card={card} />}
            note={<ExpiryNote card={card} now={host.now()} />}
            isChosen={card.card_id === chosen}
            isUsable={usable.includes(card)}
            onPress={() => (card.card_id === chosen && keep ? keep() : void take(card.card_id))}
          />
          {host.view.has_passkey && <RemoveButton card={card} removal={removal} />}
        </>
      )}
    </li>
  )
  return (
    <div class="cards">
      <Alert words={refusal()} />
      <ul class="card-list" aria-label={text.savedCards.legend}>
        {first.map(choice)}
      </ul>
      {more.length > 0 && (
        <details class="more">
          <summary>{filledText(formOf(text.savedCards.more, more.length), { count: numberText(more.length) })}</summary>
          <ul class="card-list">{more.map(choice)}</ul>
        </details>
      )}
      {useAnother && (
        <Button kind={usable.length === 0 ? 'primary' : 'secondary'} onPress={useAnother}>
          {text.savedCards.another}
        </Button>
      )}
    </div>
  )
}

interface CardListProps {
  host: ScreenHost
  choice: CardChoiceState
  /** Null: no card can be added. */
  useAnother: (() => void) | null
  chosen?: string
  /** Closes the list, where it stands in the place of a card. */
  keep?: () => void
}

/** It has taken the place of the card under the finger. */
export function enterList(place: HTMLElement): void {
  const list = place.querySelector<HTMLElement>('.cards')
  if (list === null) return
  holdPresses(list)
  list.querySelector<HTMLElement>('[aria-pressed=true]')?.focus()
}

export interface CardChoiceState {
  /** Why the card that was pressed cannot be taken. */
  refusal(): string | null
  take(cardId: string): Promise<void>
  removal: CardRemoval
}

/** One card at a time: a second press while the first is under way does nothing. */
export function createCardChoice(host: ScreenHost, changed: () => void): CardChoiceState {
  let words: string | null = null
  let isUnderWay = false
  const tell = (next: string | null) => {
    words = next
    changed()
  }
  return {
    removal: createCardRemoval(host, changed),
    refusal: () => words,
    async take(card_id) {
      if (isUnderWay) return
      isUnderWay = true
      tell(null)
      host.say(text.savedCards.busy)
      await host.perform(
        () => host.backend.selectCard({ card_id }),
        (refused) => {
          const { reaction, text: why } = ruleFor(refused)
          if (reaction === 'field') tell(why)
          return reaction === 'field'
        },
      )
      isUnderWay = false
      host.say('')
    },
  }
}
