/**
 * What the page needs to go on after a reload. It is kept with this one entry of the tab's history: a second payment in
 * the same tab has its own, it works where a frame has no storage, and it goes when the entry is replaced.
 */
export interface Kept {
  sessionToken: string
  /** In a frame, and in a browser without passkeys: the link to where it goes on carries it. */
  launchSecret: string | null
  /** A frame has opened this tab. */
  isOpened: boolean
}

/** What was kept before a reload; null when there is nothing, or something else. */
export function readKept(state: unknown): Kept | null {
  if (typeof state !== 'object' || state === null || !('sessionToken' in state)) return null
  const { sessionToken } = state
  if (typeof sessionToken !== 'string') return null
  const secret = 'launchSecret' in state ? state.launchSecret : null
  const isOpened = 'isOpened' in state && state.isOpened === true
  return { sessionToken, launchSecret: typeof secret === 'string' ? secret : null, isOpened }
}

/**
 * Keeps it, and takes the launch secret out of the address: what is on the screen or goes Back must not open the
 * session.
 */
export function keep(kept: Kept): void {
  history.replaceState(kept, '', location.pathname)
}

/**
 * Puts the whole link back where nothing can be done in this browser: what its menu opens in another one, or a person
 * copies, is the address, and without the secret that would be a link that does not work.
 */
export function handOn(kept: Kept, address: string): void {
  history.replaceState(kept, '', address)
}

/** Where the service accepts it no more. */
export function forget(): void {
  history.replaceState(null, '', location.pathname)
}
