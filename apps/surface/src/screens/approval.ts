import type { ApprovalOptions, SurfaceView } from '@mintmark/contract/wire/surface'
import { type PublicKeyCredentialRequestOptionsJSON, startAuthentication } from '@simplewebauthn/browser'
import { button } from '../button.ts'
import { runCeremony } from '../ceremony.ts'
import { h, heading } from '../dom.ts'
import { momentText } from '../locale.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { termRows } from '../term-list.ts'
import { text } from '../text/text.ts'
import { guardVisible, type VisibleGuard } from '../visible-guard.ts'
import { errorScreen } from './error.ts'

/** Said only after a while: on the way to being seen the words would flicker. */
const EXPLAIN_AFTER_MILLIS = 1_200

export function approval(host: ScreenHost): Screen {
  const words = text.approval
  const title = heading(host.flow.approvalTitle(host.view))
  const terms = h('dl', { class: 'terms', 'aria-busy': 'true' })
  const news = passkeyNews(host.view)
  const why = h('p', { class: 'hint hint-center', role: 'status' }, words.how)
  const approve = button(words.submit, () => sign(), { busy: words.busy })
  // The options come before the click: some browsers want the ceremony right at the person's action.
  let options: ApprovalOptions | null = null
  let guard: VisibleGuard | null = null
  let explain: ReturnType<typeof setTimeout> | undefined

  const refresh = () => {
    const ready = guard?.ready() ?? false
    const isWaiting = !ready || options === null
    approve.classList.toggle('button-waiting', isWaiting)
    approve.setAttribute('aria-disabled', String(isWaiting))
    clearTimeout(explain)
    if (ready) why.textContent = words.how
    else explain = setTimeout(() => why.replaceChildren(words.notSeen), EXPLAIN_AFTER_MILLIS)
  }
  const load = async () => {
    const answer = await host.fetch(() => host.backend.approvalOptions(host.frame))
    if (answer === null) return
    const read = host.flow.terms(answer.terms)
    if (read === null) return host.show(errorScreen(words.unreadable, null, () => location.reload()))
    title.replaceChildren(...heading(read.title).childNodes)
    terms.replaceChildren(...termRows(read.lines))
    terms.removeAttribute('aria-busy')
    options = answer
    refresh()
  }
  const sign = async () => {
    if (options === null || !guard?.ready()) return
    const optionsJSON = requestOptions(options)
    await runCeremony(host, () => startAuthentication({ optionsJSON }), host.backend.approve)
  }
  return {
    element: h('div', {}, title, news, terms, approve, why),
    enter() {
      guard = guardVisible(approve, host.frame.embedded, refresh)
      refresh()
      void load()
    },
    leave() {
      guard?.stop()
      clearTimeout(explain)
    },
  }
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
