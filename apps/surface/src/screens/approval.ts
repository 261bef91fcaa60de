import type { ApprovalOptions } from '@mintmark/contract/surface-api'
import { type PublicKeyCredentialRequestOptionsJSON, startAuthentication } from '@simplewebauthn/browser'
import { button } from '../button.ts'
import { runCeremony } from '../ceremony.ts'
import { h, heading } from '../dom.ts'
import { moneyText } from '../money-text.ts'
import type { Desk, Screen } from '../screen.ts'
import { readStatement, type Statement, statementLines } from '../statement.ts'
import { guardVisible, type VisibleGuard } from '../visible-guard.ts'
import { trouble } from './problem.ts'

const HOW = 'You confirm with your fingerprint, your face or your screen lock.'
const NOT_SEEN = 'To protect you, this button works once all of it can be seen. Scroll to it, or remove what covers it.'

const UNREADABLE = 'This page does not understand the terms to approve. Load it again to get its latest version.'

/** Said only after a while: on the way to being seen the words would flicker. */
const EXPLAIN_AFTER_MS = 1_200

export function approval(desk: Desk): Screen {
  const { payment } = desk.view
  const title = heading(`Approve ${moneyText(payment.amount, payment.currency)}`)
  const terms = h('dl', { class: 'terms', 'aria-busy': 'true' })
  const why = h('p', { class: 'hint hint-center', role: 'status' }, HOW)
  const approve = button('Approve with passkey', () => sign())
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
    if (ready) why.textContent = HOW
    else explain = setTimeout(() => why.replaceChildren(NOT_SEEN), EXPLAIN_AFTER_MS)
  }
  const load = async () => {
    const answer = await desk.fetch(() => desk.backend.approvalOptions(desk.frame))
    if (answer === null) return
    const statement = readStatement(answer.statement)
    if (statement === null) return desk.show(trouble(UNREADABLE, null, () => location.reload()))
    title.textContent = `Approve ${moneyText(statement.amount, statement.currency)}`
    fillTerms(terms, statement)
    options = answer
    refresh()
  }
  const sign = async () => {
    if (options === null || !guard?.ready()) return
    const optionsJSON = requestOptions(options)
    await runCeremony(desk, () => startAuthentication({ optionsJSON }), desk.backend.approve)
  }
  return {
    element: h('div', {}, title, terms, approve, why),
    enter() {
      guard = guardVisible(approve, desk.frame.embedded, refresh)
      refresh()
      void load()
    },
    leave() {
      guard?.stop()
      clearTimeout(explain)
    },
  }
}

/** The contract leaves the request open, because its shape is the WebAuthn specification's. */
function requestOptions({ options }: ApprovalOptions): PublicKeyCredentialRequestOptionsJSON {
  return options as unknown as PublicKeyCredentialRequestOptionsJSON
}

function fillTerms(terms: HTMLElement, statement: Statement): void {
  const lines = statementLines(statement)
  terms.replaceChildren(
    ...lines.map(({ label, value }) => h('div', { class: 'term' }, h('dt', {}, label), h('dd', {}, value))),
  )
  terms.removeAttribute('aria-busy')
}
