import { hostText } from '@mintmark/contract/sentence'
import { SANDBOX_STEP_UP_CODE } from '@mintmark/contract/surface'
import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { h, words } from '../dom.ts'
import { foreign } from '../phrase.ts'
import { text } from '../text/text.ts'

/** The merchant, at the top of every summary. */
export function merchantHead(
  { merchant_name: name, merchant_url: url }: { merchant_name: string; merchant_url?: string },
  environment: SurfaceView['environment'],
): HTMLElement {
  return h(
    'div',
    { class: 'merchant' },
    h('span', { class: 'monogram', 'aria-hidden': 'true' }, initial(name)),
    h(
      'div',
      { class: 'merchant-words' },
      h('p', { class: 'merchant-name' }, ...words([foreign(name)])),
      url !== undefined && h('p', { class: 'merchant-host' }, ...words([foreign(hostText(url))])),
    ),
    environment === 'sandbox' && h('span', { class: 'badge' }, text.sandbox.badge),
  )
}

function initial(name: string): string {
  return name.match(/[\p{L}\p{N}]/u)?.[0].toUpperCase() ?? '·'
}

/** The one code there is in the sandbox. */
export function sandboxCodeHint(): HTMLElement {
  const { beforeTestCode, afterTestCode } = text.sandbox
  return h('p', { class: 'sandbox-hint' }, beforeTestCode, h('code', {}, SANDBOX_STEP_UP_CODE), afterTestCode)
}

/** The test card, of use in the sandbox only. */
export function sandboxHint(): HTMLElement {
  const { beforeTestCard, afterTestCard } = text.sandbox
  return h(
    'p',
    { class: 'sandbox-hint test-card' },
    beforeTestCard,
    h('code', {}, '4242 4242 4242 4242'),
    afterTestCard,
  )
}
