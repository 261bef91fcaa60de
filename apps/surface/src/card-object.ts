import { brandIcon } from './brand-icon.ts'
import { button } from './button.ts'
import { brandName } from './card-text.ts'
import { h, words } from './dom.ts'
import type { SignedCard } from './flows/flow.ts'
import type { Phrase } from './phrase.ts'
import { text } from './text/text.ts'

/** The card as an object: which one, what becomes of it, and the way to another one. */
export function cardObject(card: SignedCard, fate: Phrase, change: (() => void) | null): HTMLElement {
  return h(
    'div',
    { class: 'card-choice card-fixed' },
    brandIcon(card.brand),
    h(
      'p',
      { class: 'card-words' },
      h('span', { class: 'card-name' }, text.card.named(brandName(card.brand), card.last4)),
      h('span', { class: 'hint' }, ...words(fate)),
    ),
    change && button(text.card.change, change, { kind: 'quiet' }),
  )
}
