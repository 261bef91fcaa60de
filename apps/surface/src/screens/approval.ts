import type { Adjustment, ApprovalOptions, SurfaceView } from '@mintmark/contract/wire/surface'
import { type PublicKeyCredentialRequestOptionsJSON, startAuthentication } from '@simplewebauthn/browser'
import { createApproveButton } from '../approve-button.ts'
import { runCeremony } from '../ceremony.ts'
import { h, heading } from '../dom.ts'
import type { Refusal } from '../errors.ts'
import type { Terms } from '../flows/flow.ts'
import { momentText } from '../locale.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { termRows } from '../term-list.ts'
import { text } from '../text/text.ts'
import { errorScreen } from './error.ts'

export function approval(host: ScreenHost): Screen {
  const { flow, view } = host
  // The options come before the click: some browsers want the ceremony right at the person's action.
  let options: ApprovalOptions | null = null
  const sheet = createSheet(host)
  const button = createApproveButton({
    label: flow.words.approve,
    obstacle: () => (limits?.pending() ? text.approval.limitsPending : options === null),
    async approve() {
      if (options === null) return
      const optionsJSON = requestOptions(options)
      await runCeremony(host, () => startAuthentication({ optionsJSON }), host.backend.approve)
    },
  })
  /** From the asking on nothing can be signed until the terms that were asked for stand there. */
  const load = async (adjustment: Adjustment | null, handled?: (refusal: Refusal) => boolean): Promise<boolean> => {
    // What is being signed must stay as it stands there.
    if (button.isBusy()) return false
    const before = options
    options = null
    button.refresh()
    const answer = await host.fetch(() => host.backend.approvalOptions(host.frame, adjustment), handled)
    options = answer ?? before
    if (answer !== null) {
      const terms = flow.terms(answer.terms)
      if (terms === null) return unreadable(host)
      host.adjustment = adjustment
      sheet.show(terms)
      host.summarise(flow.agreed?.(view, answer.terms) ?? view)
      limits?.follow(answer.terms)
    }
    button.refresh()
    return answer !== null
  }
  const limits = flow.limits?.(host, { changed: button.refresh, send: load }) ?? null
  return {
    element: h('div', {}, ...sheet.elements, keepingNote(host), limits?.element ?? null, button.element, button.why),
    enter() {
      button.enter(host.frame.embedded)
      void load(host.adjustment)
    },
    leave: button.leave,
  }
}

/** What is approved, once its terms have arrived. */
function createSheet({ flow, view }: ScreenHost) {
  const title = heading(flow.approvalTitle(view))
  const lines = h('dl', { class: 'terms', 'aria-busy': 'true' })
  const news = passkeyNews(view)
  return {
    elements: news === null ? [title, lines] : [title, news, lines],
    show(terms: Terms) {
      title.replaceChildren(...heading(terms.title).childNodes)
      lines.replaceChildren(...termRows(terms.lines))
      lines.removeAttribute('aria-busy')
    },
  }
}

/** What becomes of the card, where that is for the cardholder to say. */
function keepingNote({ flow, view }: ScreenHost): HTMLElement | null {
  const { keeping } = flow.words
  if (keeping === undefined || view.card === null) return null
  return h('p', { class: 'hint' }, view.card_once ? keeping.deleted : keeping.kept)
}

function unreadable(host: ScreenHost): false {
  host.show(errorScreen(text.approval.unreadable, null, () => location.reload()))
  return false
}

/** A passkey was made in place of a lost one: the owner who did not make it reads so before anything is approved with it. */
function passkeyNews({ passkey_made_at: madeAt }: SurfaceView): HTMLElement | null {
  if (madeAt === null) return null
  return h('p', { class: 'notice', role: 'note' }, text.approval.newPasskey(momentText(new Date(madeAt))))
}

/** The contract leaves the request open, because its shape is the WebAuthn specification's. */
function requestOptions({ options }: ApprovalOptions): PublicKeyCredentialRequestOptionsJSON {
  return options as unknown as PublicKeyCredentialRequestOptionsJSON
}
