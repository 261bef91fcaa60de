import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { passkeyFailureOf } from './passkey.ts'
import type { ScreenHost } from './screen.ts'

/**
 * The browser's dialog, then the call that brings its answer. Each way it can end has a screen. `isAsked` is false
 * where no press has asked for this very dialog: some browsers want one, and then the person did nothing wrong.
 */
export async function runCeremony<Answer>(
  host: ScreenHost,
  dialog: () => Promise<Answer>,
  send: (answer: Answer) => Promise<SurfaceView>,
  isAsked = true,
): Promise<void> {
  const startedAt = performance.now()
  let answer: Answer
  try {
    answer = await dialog()
  } catch (error) {
    if (!isAsked) return host.redraw()
    const elapsedMillis = performance.now() - startedAt
    const failure = passkeyFailureOf(error, { embedded: host.frame.embedded, elapsedMillis })
    return failure === 'frame' ? host.continueInTab() : host.passkeyFailed(failure)
  }
  await host.perform(() => send(answer))
}
