import type { SurfaceView } from '@mintmark/contract/wire/surface'
import type { Flow } from './flows/flow.ts'
import type { ScreenHost } from './screen.ts'

/**
 * All that stands on the sheet of what is approved, to be compared: who asks, how much, what for, with which card and
 * what is allowed.
 */
export function standing(flow: Flow, view: SurfaceView): string {
  const parts = [flow.party(view), flow.bill(view), flow.say(view), view.card]
  return JSON.stringify(parts, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/**
 * Whether the press for the passkey counts for these terms, too: the first that come, and only if they say what stood
 * there. Whatever else they are, and at every later time, they are to be read and pressed.
 */
export function takePress(host: ScreenHost): (agreed: SurfaceView) => boolean {
  let { pressedFor } = host
  host.pressedFor = null
  return (agreed) => {
    const isSame = pressedFor === standing(host.flow, agreed)
    pressedFor = null
    return isSame
  }
}
