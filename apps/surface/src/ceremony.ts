import type { SurfaceView } from '@mintmark/contract/surface-api'
import { passkeyTrouble } from './passkey.ts'
import type { Desk } from './screen.ts'

/** The browser's dialog, then the call that brings its answer. Each way it can end has a screen. */
export async function runCeremony<Answer>(
  desk: Desk,
  dialog: () => Promise<Answer>,
  send: (answer: Answer) => Promise<SurfaceView>,
): Promise<void> {
  const startedAt = performance.now()
  let answer: Answer
  try {
    answer = await dialog()
  } catch (error) {
    const elapsedMs = performance.now() - startedAt
    const trouble = passkeyTrouble(error, { embedded: desk.frame.embedded, elapsedMs })
    return trouble === 'frame' ? desk.continueInTab() : desk.passkeyFailed(trouble)
  }
  await desk.perform(() => send(answer))
}
