import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { passkeyFailureOf } from './passkey.ts'
import type { ScreenHost } from './screen.ts'

/** The browser's dialog, then the call that brings its answer. Each way it can end has a screen. */
export async function runCeremony<Answer>(
  host: ScreenHost,
  dialog: () => Promise<Answer>,
  send: (answer: Answer) => Promise<SurfaceView>,
): Promise<void> {
  const startedAt = performance.now()
  let answer: Answer
  try {
    answer = await dialog()
  } catch (error) {
    const elapsedMillis = performance.now() - startedAt
    const failure = passkeyFailureOf(error, { embedded: host.frame.embedded, elapsedMillis })
    return failure === 'frame' ? host.continueInTab() : host.passkeyFailed(failure)
  }
  await host.perform(() => send(answer))
}
