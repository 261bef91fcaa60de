import type { Settings } from './options.ts'

/** Where the frame stands. */
export interface Place {
  resize(height: number): void
  /** Whether the frame shows a way out of its own: then there is no second one around it. */
  frameHasWayOut(has: boolean): void
  remove(): void
}

export type Styles = Settings['styles']

const FRAME_HEIGHT = 560

/** As the payment page shall see it: a browser hands the scheme of a frame on to the page in it. */
const SCHEMES = { light: 'light', dark: 'dark', auto: 'light dark' } as const

export function makeFrame(url: URL, title: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.title = title
  // Without this a browser offers no passkeys inside a frame of another site.
  frame.allow = `publickey-credentials-get ${url.origin}; publickey-credentials-create ${url.origin}`
  frame.src = url.href
  return frame
}

export function dress(element: HTMLElement, styles: Styles, rules: Record<string, string>): void {
  // One by one: a Content-Security-Policy without inline styles forbids the attribute, not this.
  const all = { ...rules, 'color-scheme': SCHEMES[styles.scheme] }
  for (const [name, value] of Object.entries(all)) element.style.setProperty(name, value)
}

export function inlinePlace(frame: HTMLIFrameElement, container: Element, styles: Styles): Place {
  const radius = `${styles.radius ?? 0}px`
  const size = { display: 'block', width: '100%', 'max-width': '100%', height: `${FRAME_HEIGHT}px` }
  dress(frame, styles, { ...size, border: '0', 'border-radius': radius })
  container.append(frame)
  return {
    resize: (height) => frame.style.setProperty('height', `${height}px`),
    // What is around it is the shop's.
    frameHasWayOut: () => {},
    remove: () => frame.remove(),
  }
}
