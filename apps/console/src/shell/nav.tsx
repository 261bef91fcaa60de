import { words } from '../text/shell/words.ts'

const PATHS = {
  home: ['M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z'],
  payments: ['M3 8a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3z', 'M3 10h18'],
  permissions: ['M12 3l7 3v5c0 4.6-2.9 8-7 10-4.1-2-7-5.4-7-10V6z', 'M9 11.8l2.2 2.2L15.2 10'],
  webhooks: ['M13 3 5 14h6l-1 7 8-11h-6z'],
  events: ['M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01'],
  keys: ['M8 10.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9', 'M11.2 11.8 19 4M15.5 7.5l3 3'],
  team: [
    'M9 5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7',
    'M3 20c0-3.6 2.6-5.5 6-5.5s6 1.9 6 5.5',
    'M15.5 5.4a3.4 3.4 0 0 1 0 6.4M17.5 15c2.2.6 3.5 2.3 3.5 5',
  ],
} as const
type Tab = keyof typeof PATHS

const TABS: readonly (readonly [Tab, string])[] = [
  ['home', '/'],
  ['payments', '/payments'],
  ['permissions', '/permissions'],
  ['webhooks', '/webhooks'],
  ['events', '/events'],
  ['keys', '/keys'],
  ['team', '/team'],
]

/** Which page is in which of them. */
const TAB_OF: ReadonlyMap<string, Tab> = new Map([
  ['', 'home'],
  ['deliveries', 'webhooks'],
  ['acts', 'team'],
])

/** Beside the page on a desk, below it on a phone, where a thumb is. */
export function Nav({ page }: { page: string }) {
  const open = TAB_OF.get(page) ?? page
  return (
    <nav class="nav" aria-label={words.nav.label}>
      {TABS.map(([tab, href]) => (
        <a key={tab} href={href} class={`tab tab-${tab}`} aria-current={tab === open ? 'page' : undefined}>
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
