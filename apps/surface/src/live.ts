import { h } from './dom.ts'

let region: HTMLElement | null = null

/** The one place of the page from which screen readers hear what happens. It is there before it says anything. */
export function liveRegion(): HTMLElement {
  region ??= h('p', { class: 'visually-hidden', role: 'status' })
  return region
}

export function say(words: string): void {
  liveRegion().textContent = words
}

/** Takes back what was said, unless something else was said since. */
export function unsay(words: string): void {
  if (liveRegion().textContent === words) say('')
}
