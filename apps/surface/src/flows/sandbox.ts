import { SANDBOX_STEP_UP_CODE } from '@mintmark/contract/surface'
import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { h } from '../dom.ts'
import { text } from '../text/text.ts'

/** What stands over the amount. In the sandbox it says so. */
export function amountLabel(label: string, environment: SurfaceView['environment']): HTMLElement {
  return h(
    'div',
    { class: 'amount-top' },
    h('p', { class: 'amount-label' }, label),
    environment === 'sandbox' && h('span', { class: 'badge' }, text.sandbox.badge),
  )
}

/** The one code there is in the sandbox. */
export function sandboxCodeHint(): HTMLElement {
  const { beforeTestCode, afterTestCode } = text.sandbox
  return h('p', { class: 'sandbox-hint' }, beforeTestCode, h('code', {}, SANDBOX_STEP_UP_CODE), afterTestCode)
}

/** The test card, beside the fields it is for. */
export function sandboxCardHint({ environment }: SurfaceView): HTMLElement[] {
  if (environment !== 'sandbox') return []
  const { beforeTestCard, afterTestCard } = text.sandbox
  return [h('p', { class: 'sandbox-hint' }, beforeTestCard, h('code', {}, '4242 4242 4242 4242'), afterTestCard)]
}
