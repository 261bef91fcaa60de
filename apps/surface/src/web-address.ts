import { type Child, h } from './dom.ts'

/** Where the page may send a person: web addresses only, because the browser would run a `javascript:` one. */
export function webAddress(address: string | null | undefined): string | null {
  return address != null && /^https?:\/\//i.test(address) ? address : null
}

/** A link that opens a tab of its own, so that what was begun here stays; null where the address is none of the web. */
export function linkOut(address: string | null | undefined, ...label: Child[]): HTMLAnchorElement | null {
  const href = webAddress(address)
  return href === null ? null : h('a', { class: 'link', href, target: '_blank', rel: 'noopener noreferrer' }, ...label)
}
