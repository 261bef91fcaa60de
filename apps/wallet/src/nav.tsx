import { words } from './text/seen/words.ts'

const PATHS = {
  home: ['M4 11.5 12 4l8 7.5', 'M6 10v9h12v-9'],
  permissions: ['M12 3L5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z'],
  cards: ['M3 6h18v12H3z', 'M3 10h18'],
  activity: ['M8 6h12', 'M8 12h12', 'M8 18h12', 'M4 6h.01', 'M4 12h.01', 'M4 18h.01'],
} as const
type Tab = keyof typeof PATHS

const TABS: readonly (readonly [Tab, string])[] = [
  ['home', '/'],
  ['permissions', '/permissions'],
  ['cards', '/cards'],
  ['activity', '/activity'],
]

/** The pages of an owner: below on a phone, where a thumb is, above on a wide screen. */
export function Nav({ page }: { page: string }) {
  return (
    <nav class="tabs" aria-label={words.nav.label}>
      {TABS.map(([tab, href]) => (
        <a key={tab} href={href} class="tab" aria-current={isOpen(tab, page) ? 'page' : undefined}>
          <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
            {PATHS[tab].map((d) => (
              <path key={d} d={d} />
            ))}
          </svg>
          {words.nav[tab]}
        </a>
      ))}
    </nav>
  )
}

const isOpen = (tab: Tab, page: string) => (page === '' ? tab === 'home' : tab === page)
