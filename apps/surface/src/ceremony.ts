import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { h } from './dom.ts'
import { passkeyFailureOf } from './passkey.ts'
import type { ScreenHost } from './screen.ts'

interface Ceremony<Answer> {
  dialog(): Promise<Answer>
  send(answer: Answer): Promise<SurfaceView>
  /** Where it is said that the dialog closed, in these words. */
  line: HTMLElement
  closed: string
}

/** Stands above the button before it says anything: screen readers hear what comes into it. */
export function closedLine(): HTMLElement {
  return h('p', { class: 'closed', role: 'status' })
}

/** The browser's dialog, then the call that brings its answer. One that closed is no fault: the screen stays. Each other failure has its own. */
export async function runCeremony<Answer>(host: ScreenHost, ceremony: Ceremony<Answer>): Promise<void> {
  const { dialog, send, line, closed } = ceremony
  line.textContent = ''
  const startedAt = performance.now()
  let answer: Answer
  try {
    answer = await dialog()
  } catch (error) {
    const elapsedMillis = performance.now() - startedAt
    const failure = passkeyFailureOf(error, { embedded: host.frame.embedded, elapsedMillis })
    if (failure === 'frame') return host.continueInTab()
    if (failure !== 'closed') return host.passkeyFailed(failure)
    line.textContent = closed
    // Where the words have pushed the button out of sight, it comes back: as high as it is once it says what it does again.
    requestAnimationFrame(() => line.nextElementSibling?.scrollIntoView({ block: 'nearest' }))
    return host.passkeyClosed(closed)
  }
  await host.perform(() => send(answer))
}
