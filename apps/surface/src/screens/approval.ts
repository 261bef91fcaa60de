import type { Adjustment, SurfaceView } from '@mintmark/contract/wire/surface'
import { startAuthentication } from '@simplewebauthn/browser'
import { createApproveButton } from '../approve-button.ts'
import { cardObject } from '../card-object.ts'
import { closedLine, runCeremony } from '../ceremony.ts'
import { type Challenge, challengeOf, hasSameTerms, isOutdated, lookingNowAndThen } from '../challenge.ts'
import { h, heading, paragraph } from '../dom.ts'
import type { Refusal } from '../errors.ts'
import type { Terms } from '../flows/flow.ts'
import { momentText } from '../locale.ts'
import { foreign, type Phrase } from '../phrase.ts'
import type { Screen, ScreenHost } from '../screen.ts'
import { text } from '../text/text.ts'
import { enterCard } from './enter-card.ts'
import { errorScreen } from './error.ts'
import { cardList } from './saved-cards.ts'

export function approval(host: ScreenHost): Screen {
  const { flow, view } = host
  // It comes before the click: some browsers want the ceremony right at the person's action.
  let challenge: Challenge | null = null
  const sheet = createSheet(host, () => button.refresh())
  const line = closedLine()
  const button = createApproveButton({
    label: flow.approvalAction(view),
    obstacle() {
      if (sheet.isChoosing()) return text.approval.cardPending
      return limits?.pending() ? text.approval.limitsPending : challenge === null || challenge.isOver()
    },
    async approve() {
      if (challenge === null) return
      const optionsJSON = challenge.request()
      hold(true)
      await runCeremony(host, {
        dialog: () => startAuthentication({ optionsJSON }),
        send: host.backend.approve,
        line,
        closed: text.passkeyClosed.approval,
      })
      hold(false)
    },
  })
  /** What is being signed: no other card and no other limits are chosen meanwhile. */
  const hold = (isHeld: boolean) => {
    for (const element of [sheet.card, limits?.element]) element?.toggleAttribute('inert', isHeld)
  }
  /** From the asking on nothing can be signed until the terms that were asked for stand there. */
  const load = async (adjustment: Adjustment | null, handled?: (refusal: Refusal) => boolean): Promise<boolean> => {
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
      host.summarise(flow.agreed?.(view, asked.terms) ?? view)
      // Last: the guard watches what stands there now.
      button.rename(terms.action)
      limits?.follow(asked.terms)
    }
    button.refresh()
    return asked !== null
  }
  /** A cardholder who reads for long signs a challenge that is taken all the same. What stands there stays as it is. */
  const renew = async (): Promise<void> => {
    const before = challenge
    if (before === null || !isOutdated(before, host.view)) return
    if (button.isBusy() || limits?.pending() || sheet.isChoosing()) return
    // One that is over, after the sleep of a phone, waits for the next.
    button.refresh()
    const asked = await ask(host, host.adjustment)
    // It is being signed meanwhile, other terms were asked for, or another screen is shown.
    if (asked === null || challenge !== before || button.isBusy()) return
    // Another card was chosen, in another tab: it is to be read before it is pressed.
    if (!hasSameTerms(asked, before)) return host.redraw()
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
      limits?.element ?? null,
      h('div', { class: 'act' }, sheet.sentence, line, button.element, button.why, trouble()),
    ),
    enter() {
      button.enter({ sentence: sheet.sentence, above: () => host.headline() }, host.frame.embedded)
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

/** What is approved, once its terms have arrived. `changed`: called when `isChoosing` has. */
function createSheet(host: ScreenHost, changed: () => void) {
  const { flow, view } = host
  // What is seen as one are amount and sentence.
  const title = heading(flow.approvalTitle(view))
  title.classList.add('visually-hidden')
  const card = h('div', { class: 'card-place' })
  const sentence = h('p', { class: 'sentence', 'aria-busy': 'true' })
  const news = passkeyNews(view)
  let isChoosing = false
  const openList = () => {
    isChoosing = true
    card.replaceChildren(cardList(host, text.savedCards.use, () => typeAnother(host)))
    card.querySelector<HTMLInputElement>('input:checked')?.focus()
    changed()
  }
  return {
    card,
    sentence,
    /** Another card may be meant than the one that is signed. */
    isChoosing: () => isChoosing,
    elements: news === null ? [title, card] : [title, news, card],
    show(terms: Terms) {
      title.replaceChildren(...heading(terms.title).childNodes)
      card.replaceChildren(cardObject(terms.card, fateOf(host), wayToAnother(host, openList)))
      const { language, text: said } = terms.sentence
      sentence.lang = language
      // By its language: its first word may be a name in another script.
      sentence.dir = language === 'ar' ? 'rtl' : 'ltr'
      sentence.textContent = said
      sentence.removeAttribute('aria-busy')
    },
  }
}

/** What becomes of the card. */
function fateOf({ flow, view }: ScreenHost): Phrase {
  const { keeping } = flow.words
  return typeof keeping !== 'string' && view.card_once ? keeping.deleted : text.card.keptBy(foreign(view.operator.name))
}

/** The other saved cards, in place; a cardholder who has none types one. */
function wayToAnother(host: ScreenHost, openList: () => void): (() => void) | null {
  const { flow, view } = host
  if (flow.cardFixed?.(view)) return null
  const hasOthers = view.cards.some(({ card_id }) => card_id !== view.card?.card_id)
  return hasOthers ? openList : () => typeAnother(host)
}

function typeAnother(host: ScreenHost): void {
  host.show(enterCard(host, () => host.redraw()))
}

/** For a passkey that is not here or lost: shown once the dialog has closed. */
function trouble(): HTMLElement {
  return h(
    'details',
    { class: 'more trouble' },
    h('summary', {}, text.passkeyClosed.trouble),
    paragraph(text.passkeyElsewhere, 'hint'),
    paragraph(text.passkeyLost, 'hint'),
  )
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
