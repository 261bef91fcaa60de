import type { SurfaceCard } from '@mintmark/contract/wire/surface'
import { brandIcon } from '../brand-icon.ts'
import { button, whileBusy } from '../button.ts'
import { cardExpiry, cardName } from '../card-text.ts'
import { h, heading } from '../dom.ts'
import { ruleFor } from '../errors.ts'
import { isExpired } from '../expiry-rules.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'

/** A screen with the saved cards; `useAnother` leads to the fields of one that is not among them. */
export function savedCards(host: ScreenHost, useAnother: () => void): Screen {
  return { element: h('div', {}, heading(text.savedCards.title), cardList(host, text.buttons.continue, useAnother)) }
}

/** The saved cards, to choose one of: on a screen of their own, or on the sheet in place of the one that is chosen. */
export function cardList(host: ScreenHost, choose: string, useAnother: () => void): HTMLElement {
  const usable = host.view.cards.filter((card) => !isExpired(expiryOf(card), host.now()))
  // The card of the session is not among them while it waits for its bank's code.
  const chosen = usable.find(({ card_id }) => card_id === host.view.card?.card_id) ?? usable[0]
  const list = h('fieldset', { class: 'cards' }, h('legend', { class: 'visually-hidden' }, text.savedCards.legend))
  for (const card of host.view.cards) {
    list.append(cardChoice(card, { usable: usable.includes(card), checked: card === chosen }))
  }
  const alert = h('p', { class: 'alert', role: 'alert', hidden: true })
  const submit = button(choose, null, { submit: true })
  const form = h('form', { class: 'form', method: 'post' }, alert, list, submit)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const cardId = new FormData(form).get('card')
    if (typeof cardId !== 'string') return
    alert.hidden = true
    const select = () =>
      host.perform(
        () => host.backend.selectCard({ card_id: cardId }),
        (refusal) => {
          const { reaction, text: words } = ruleFor(refusal)
          if (reaction !== 'field') return false
          alert.textContent = words
          alert.hidden = false
          return true
        },
      )
    void whileBusy(submit, select, text.savedCards.busy)
  })
  submit.hidden = usable.length === 0
  const another = button(text.savedCards.another, useAnother, { kind: usable.length === 0 ? 'primary' : 'secondary' })
  return h('div', { class: 'card-list' }, form, another)
}

function cardChoice(card: SurfaceCard, { usable, checked }: { usable: boolean; checked: boolean }): HTMLElement {
  const radio = h('input', {
    type: 'radio',
    name: 'card',
    value: card.card_id,
    class: 'radio',
    checked: usable && checked,
    disabled: !usable,
  })
  const expiry = (usable ? text.card.expires : text.card.expired)(cardExpiry(card))
  const words = h(
    'span',
    { class: 'card-words' },
    h('span', { class: 'card-name' }, cardName(card)),
    h('span', { class: 'hint' }, expiry),
  )
  return h(
    'label',
    { class: usable ? 'card-choice' : 'card-choice card-choice-off' },
    radio,
    words,
    brandIcon(card.card_brand),
  )
}

function expiryOf(card: SurfaceCard) {
  return { month: card.card_exp_month, year: card.card_exp_year }
}
