import type { Adjustment, SurfaceView } from '@mintmark/contract/wire/surface'
import { startAuthentication } from '@simplewebauthn/browser'
import { createApproveButton } from '../approve-button.ts'
import { runCeremony } from '../ceremony.ts'
import { type Challenge, challengeOf, hasAnotherEnd, hasSameTerms, lookingNowAndThen } from '../challenge.ts'
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
  // It comes before the click: some browsers want the ceremony right at the person's action.
  let challenge: Challenge | null = null
  const sheet = createSheet(host)
  const button = createApproveButton({
    label: flow.approvalAction(view),
    obstacle: () => (limits?.pending() ? text.approval.limitsPending : challenge === null || challenge.isOver()),
    async approve() {
      if (challenge === null) return
      const optionsJSON = challenge.request()
      await runCeremony(host, () => startAuthentication({ optionsJSON }), host.backend.approve)
    },
  })
  /** From the asking on nothing can be signed until the terms that were asked for stand there. */
  const load = async (adjustment: Adjustment | null, handled?: (refusal: Refusal) => boolean): Promise<boolean> => {
    // What is being signed must stay as it stands there.
    if (button.isBusy()) return false
    const before = challenge
    challenge = null
    button.refresh()
    const asked = await ask(host, adjustment, handled)
    challenge = asked ?? before
    if (asked !== null) {
      const terms = flow.terms(asked.terms)
      if (terms === null) return unreadable(host)
      host.adjustment = adjustment
      sheet.show(terms)
      button.rename(terms.action)
      host.summarise(flow.agreed?.(view, asked.terms) ?? view)
      limits?.follow(asked.terms)
    }
    button.refresh()
    return asked !== null
  }
  /** A cardholder who reads for long signs a challenge that is taken all the same. What stands there stays as it is. */
  const renew = async (): Promise<void> => {
    const before = challenge
    if (before === null || !before.isOld() || button.isBusy() || limits?.pending()) return
    // One that is over, after the sleep of a phone, waits for the next.
    button.refresh()
    const asked = await ask(host, host.adjustment)
    // It is being signed meanwhile, other terms were asked for, or another screen is shown.
    if (asked === null || challenge !== before || button.isBusy()) return
    const terms = flow.terms(asked.terms)
    if (terms === null) return void unreadable(host)
    // Another card was chosen, in another tab: it is to be read before it is pressed.
    if (!hasSameTerms(asked, before) && !hasAnotherEnd(asked, before)) return host.redraw()
    sheet.say(terms)
    challenge = asked
    button.refresh()
  }
  let stopLooking: (() => void) | undefined
  const limits = flow.limits?.(host, { changed: button.refresh, send: load }) ?? null
  return {
    element: h(
      'div',
      {},
      ...sheet.elements,
      keepingNote(host),
      limits?.element ?? null,
      sheet.sentence,
      button.element,
      button.why,
    ),
    enter() {
      button.enter(host.frame.embedded)
      void load(host.adjustment)
      stopLooking = lookingNowAndThen(renew)
    },
    leave() {
      challenge = null
      button.leave()
      stopLooking?.()
    },
  }
}

async function ask(
  host: ScreenHost,
  adjustment: Adjustment | null,
  handled?: (refusal: Refusal) => boolean,
): Promise<Challenge | null> {
  const askedAt = Date.now()
  const answer = await host.fetch(() => host.backend.approvalOptions(host.frame, adjustment), handled)
  return answer && challengeOf(answer, askedAt)
}

/** What is approved, once its terms have arrived. */
function createSheet({ flow, view }: ScreenHost) {
  const title = heading(flow.approvalTitle(view))
  const lines = h('dl', { class: 'terms', 'aria-busy': 'true' })
  const sentence = h('p', { class: 'sentence', dir: 'auto' })
  const news = passkeyNews(view)
  const say = ({ sentence: { language, text: said } }: Terms) => {
    if (sentence.textContent === said) return
    sentence.lang = language
    sentence.textContent = said
  }
  return {
    sentence,
    say,
    elements: news === null ? [title, lines] : [title, news, lines],
    show(terms: Terms) {
      title.replaceChildren(...heading(terms.title).childNodes)
      lines.replaceChildren(...termRows(terms.lines))
      lines.removeAttribute('aria-busy')
      say(terms)
    },
  }
}

/** What becomes of the card, where that is for the cardholder to say. */
function keepingNote({ flow, view }: ScreenHost): HTMLElement | null {
  const { keeping } = flow.words
  if (typeof keeping === 'string' || view.card === null) return null
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
