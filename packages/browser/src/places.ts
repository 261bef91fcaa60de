import type { Appearance } from './options.ts'

/** As the payment page shall see it: a browser hands the scheme of a frame on to the page in it. */
export const schemeOf = (scheme: Appearance['scheme']) => (scheme === 'auto' ? 'light dark' : scheme)

export function makeFrame(url: URL, title: string): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.title = title
  // Without this a browser offers no passkeys inside a frame of another site.
  frame.allow = `publickey-credentials-get ${url.origin}; publickey-credentials-create ${url.origin}`
  frame.src = url.href
  return frame
}

/**
 * One by one: a Content-Security-Policy without inline styles forbids the attribute, not this. By method: a page that
 * has put a `height` on all objects hides the property.
 */
export function dress(frame: HTMLElement, rules: Record<string, string>): void {
  for (const [name, value] of Object.entries(rules)) frame.style.setProperty(name, value)
}

/** Returns what takes it away. */
export function inlinePlace(frame: HTMLIFrameElement, container: Element, appearance: Appearance): () => void {
  dress(frame, {
    display: 'block',
    width: '100%',
    'max-width': '100%',
    height: '560px',
    border: '0',
    'border-radius': `${appearance.radius ?? 0}px`,
    'color-scheme': schemeOf(appearance.scheme),
  })
  container.append(frame)
  return () => frame.remove()
}
