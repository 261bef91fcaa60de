import type { FoundKind } from '@mintmark/contract/console'

/** What an id is of, by how it begins. */
const KINDS: ReadonlyMap<string, FoundKind> = new Map([
  ['txn', 'payment'],
  ['sess', 'payment'],
  ['mdt', 'permission'],
  ['evt', 'event'],
  ['we', 'endpoint'],
  ['whd', 'delivery'],
])

/** Null: it is not an id of ours, such as an order number. */
export function kindOf(typed: string): FoundKind | null {
  const prefix = /^([a-z]+)_[a-z0-9]+$/i.exec(typed.trim())?.[1]?.toLowerCase() ?? ''
  return KINDS.get(prefix) ?? null
}

const PAGES: Readonly<Record<FoundKind, string>> = {
  payment: '/payments',
  permission: '/permissions',
  event: '/events',
  endpoint: '/webhooks',
  delivery: '/deliveries',
}

/** Where all of a thing stands. */
export const pageOf = (kind: FoundKind, id: string) => `${PAGES[kind]}/${encodeURIComponent(id)}`

/** How many characters of an id are shown before and after the gap. */
const SHOWN = { before: 6, after: 4 } as const

/** `txn_06gq2w…2hzd`: enough to tell it from its neighbours, short enough for a line. */
export function cutId(id: string): string {
  const [, prefix = ''] = /^([a-z]+_)/.exec(id) ?? []
  const head = prefix.length + SHOWN.before
  return id.length <= head + SHOWN.after + 1 ? id : `${id.slice(0, head)}…${id.slice(-SHOWN.after)}`
}
