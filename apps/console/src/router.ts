import { signal } from '@preact/signals'

/** Where the console is. Everything that is shown opens again from its address. */
export const address = signal(new URL(location.href))

/** How one came here. A reader who comes back finds what was there; one who goes on finds what is there now. */
export const arrival = signal<'forward' | 'back'>('forward')

const PLACE = 'scroll'

/** Goes to an address of the console; `replace`: the one before is not one to come back to. */
export function go(href: string, replace = false): void {
  const target = new URL(href, location.href)
  if (!replace) {
    history.replaceState({ [PLACE]: scrollY }, '')
    history.pushState(null, '', target)
    scrollTo(0, 0)
  } else {
    history.replaceState(history.state, '', target)
  }
  arrival.value = 'forward'
  address.value = target
}

/** Follows links and the buttons of the browser from here on. */
export function followLinks(): void {
  history.scrollRestoration = 'manual'
  document.addEventListener('click', (event) => {
    const href = hrefOf(event)
    if (href === undefined) return
    event.preventDefault()
    go(href)
  })
  addEventListener('popstate', ({ state }: PopStateEvent) => {
    arrival.value = 'back'
    address.value = new URL(location.href)
    const place: unknown = (state as Record<string, unknown> | null)?.[PLACE]
    // What was there is drawn again in the frame after this one.
    requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(0, typeof place === 'number' ? place : 0)))
  })
}

/** The address of a plain press on a link of the console; what a browser does with any other press is its own. */
function hrefOf(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.target !== '' || link.origin !== location.origin) return undefined
  return link.hash !== '' && link.pathname === location.pathname ? undefined : link.href
}

/** The same address with these filters; an empty one is none. */
export function withFilters(url: URL, filters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(url.search)
  for (const [name, value] of Object.entries(filters)) {
    if (value === '') query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? url.pathname : `${url.pathname}?${text}`
}
