import type { ComponentChildren } from 'preact'

/**
 * One thing to decide. Takes what stands on it: a `Head`, a `Summary`, with what, the sentence, an `ActionBar`, a
 * `Foot`.
 */
export function Sheet({ label, isPage = false, children }: SheetProps) {
  const Tag = isPage ? 'main' : 'section'
  return (
    <Tag class="sheet" aria-label={label}>
      {children}
    </Tag>
  )
}

interface SheetProps {
  label?: string
  /** It is all there is, or one of several things on a page. */
  isPage?: boolean
  children: ComponentChildren
}

/** The party that asks (a `Party`), and the way out. */
export function Head({ children }: { children: ComponentChildren }) {
  return <header class="head">{children}</header>
}

/** How much, large. Takes what becomes of it (`state`), the `amount` in figures or words, and what it is for. */
export function Summary({ label, state, amount, isWords = false, description, children }: SummaryProps) {
  return (
    <section class="summary" aria-label={label}>
      <p class="amount-label">{state}</p>
      <p class={isWords ? 'amount amount-words' : 'amount'}>{amount}</p>
      {description && <p class="description">{description}</p>}
      {children}
    </section>
  )
}

interface SummaryProps {
  label: string
  state: ComponentChildren
  amount: ComponentChildren
  /** There is no amount yet. */
  isWords?: boolean
  description?: ComponentChildren
  /** Lines of the bill, or what is allowed. */
  children?: ComponentChildren
}

/** The keeper of what is entered here. Takes a sentence (`trust`), the page's owner (`name`), and where more is. */
export function Foot({ trust, name, links }: FootProps) {
  return (
    <footer class="foot">
      {trust && <p class="trust">{trust}</p>}
      <p class="foot-links">
        {name}
        {links.map(({ href, words }) => (
          <a key={href} href={href} target="_blank" rel="noopener noreferrer">
            {words}
          </a>
        ))}
      </p>
    </footer>
  )
}

interface FootProps {
  trust?: ComponentChildren
  name: ComponentChildren
  links: readonly { href: string; words: string }[]
}
