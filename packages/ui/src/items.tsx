import type { ComponentChildren } from 'preact'
import { Mark } from './party.tsx'

export interface Item {
  key: string
  /** The name of the party: its first letter is the picture. */
  name: string
  title: ComponentChildren
  note: ComponentChildren
  amount?: ComponentChildren
  /** What became of the money; the `note` says it in words. */
  fate?: 'moved' | 'held' | 'refused'
  /** Where all of it stands. */
  href?: string
}

/** Things of one kind under one head, such as a day. Takes the head's words (`title`) and the `items`. */
export function ItemList({ title, items }: { title: string; items: readonly Item[] }) {
  return (
    <div class="items">
      {/* The list has it for a name. */}
      <p class="items-title" aria-hidden="true">
        {title}
      </p>
      <ul aria-label={title}>
        {items.map(({ key, name, title, note, amount, fate = 'moved', href }) => (
          <li key={key} class={`item item-${fate}`}>
            <Mark name={name} />
            <div class="item-words">
              <p class="item-title">{href === undefined ? title : <a href={href}>{title}</a>}</p>
              <p class="item-note">{note}</p>
            </div>
            {amount && <p class="item-amount">{fate === 'refused' ? <s>{amount}</s> : amount}</p>}
          </li>
        ))}
      </ul>
    </div>
  )
}
