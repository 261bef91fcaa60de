import type { Adjustment, SurfaceCard, SurfaceView } from '@mintmark/contract/wire/surface'
import { Button } from '@mintmark/ui/button.tsx'
import { Notice } from '@mintmark/ui/notice.tsx'
import { type ApproveButton, createApproveButton } from '../approve-button.ts'
import { runCeremony } from '../ceremony.ts'
import { type Challenge, challengeOf, hasAnotherEnd, hasSameTerms, lookingNowAndThen } from '../challenge.ts'
import { drawing, Placed, Words } from '../draw.tsx'
import type { Refusal } from '../errors.ts'
import type { Limits, Terms } from '../flows/flow.ts'
import { momentText } from '../locale.ts'
import { startAuthentication } from '../passkey-dialogs.ts'
import { filled, filledText, foreign, type Phrase } from '../phrase.ts'
import type { PasskeyFailure, Screen, ScreenHost } from '../screen.ts'
import { CardHere, Sentence, Signed, TermRows, Trouble } from '../screen-parts.tsx'
import { takePress } from '../standing.ts'
import { text } from '../text/text.ts'
import { enterCard } from './enter-card.tsx'
import { errorScreen } from './error.ts'
import { type CardChoiceState, CardList, createCardChoice, enterList } from './saved-cards.tsx'

/** The challenge comes before the click: some browsers want the ceremony right at the person's action. */
export function approval(host: ScreenHost): Screen {
  const { flow, view } = host
  let terms: Terms | null = null
  let [card, isChanging] = [view.card, host.listsCards]
  let challenge: Challenge | null = null
  const wasPressedFor = takePress(host)
  let renewing = Promise.resolve()
  const sign = async (isOnPhone: boolean, isAsked = true) => {
    await renewing
    if (challenge === null) return
    const optionsJSON = isOnPhone ? challenge.phoneRequest() : challenge.request()
    host.signed = terms?.sentence ?? null
    await runCeremony(host, () => startAuthentication({ optionsJSON }), host.backend.approve, isAsked)
  }
  const button = createApproveButton({
    label: flow.approvalAction(view),
    how: text.approval.how,
    obstacle: () => {
      if (isChanging) return text.approval.choosing
      return limits?.pending() ? text.approval.limitsPending : challenge === null || challenge.isOver()
    },
    approve: () => sign(false),
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
      const read = flow.terms(asked.terms)
      if (read === null) return unreadable(host)
      host.adjustment = adjustment
      terms = read
      button.rename(read.action)
      const agreed = flow.agreed(view, asked.terms)
      card = agreed.card
      host.summarise(agreed)
      limits?.follow(asked.terms)
      drawn.again()
      // Where something can be lowered there is something to decide first.
      button.pressWhenReady(wasPressedFor(agreed) && limits === null ? () => sign(false, false) : null)
    }
    button.refresh()
    return asked !== null
  }
  const renew = async (before: Challenge) => {
    challenge = await renewed(host, before, button, () => challenge)
    const read = challenge && flow.terms(challenge.terms)
    if (challenge !== null && read === null) return void unreadable(host)
    terms = read ?? terms
    drawn.again()
    button.refresh()
  }
  let stopLooking: (() => void) | undefined
  const limits = flow.limits?.(host, { changed: button.refresh, send: load }) ?? null
  const change = (isOpen: boolean) => {
    isChanging = isOpen
    button.pressWhenReady(null)
    drawn.again()
    if (isOpen) enterList(drawn.element)
    button.refresh()
  }
  const choice = createCardChoice(host, () => drawn.again())
  const shown = { host, limits, change, choice, button, onPhone: () => button.press(() => sign(true)) }
  const drawn = drawing(() => <Approval {...{ ...shown, terms, card, isChanging }} />)
  return {
    element: drawn.element,
    enter() {
      button.enter(host)
      void load(host.adjustment)
      stopLooking = lookingNowAndThen(() => {
        if (challenge?.isOld() && !button.isBusy() && !limits?.pending()) renewing = renew(challenge)
        return renewing
      })
    },
    leave() {
      challenge = null
      button.leave()
      stopLooking?.()
    },
  }
}

/**
 * For a cardholder who reads for long: a challenge that is taken all the same. What stands there stays as it is, but
 * for the end that its sentence says. The service takes a signature over the last one that was asked for, so a press
 * waits for one that is on its way.
 */
async function renewed(
  host: ScreenHost,
  before: Challenge,
  button: ApproveButton,
  current: () => Challenge | null,
): Promise<Challenge | null> {
  // One that is over, after the sleep of a phone, waits for the next.
  button.refresh()
  const asked = await ask(host, host.adjustment)
  // Other terms were asked for meanwhile, or another screen is shown.
  if (asked === null || current() !== before) return current()
  if (hasSameTerms(asked, before) || hasAnotherEnd(asked, before)) return asked
  // Another card was chosen, in another tab: it is to be read before it is pressed.
  host.redraw()
  return null
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

interface ApprovalProps {
  host: ScreenHost
  terms: Terms | null
  card: SurfaceCard | null
  isChanging: boolean
  change: (isOpen: boolean) => void
  choice: CardChoiceState
  limits: Limits | null
  button: ApproveButton
  onPhone: () => void
}

function Approval({ terms: read, limits, onPhone, ...props }: ApprovalProps) {
  const { host, button } = props
  const { flow, view, trouble } = host
  return (
    <>
      {/* For who hears the page, and for the focus: the eye has the amount, and the button. */}
      <h1 class="heading visually-hidden" tabIndex={-1}>
        <Words phrase={read?.title ?? flow.approvalTitle(view)} />
      </h1>
      <News view={view} />
      <WithCard {...props} />
      {limits && <Placed element={limits.element} />}
      {read ? <Signed sentence={read.sentence} /> : <Sentence phrase={flow.say(view)} />}
      {read && (
        <details class="more all">
          <summary>{text.approval.all}</summary>
          <TermRows lines={read.lines} />
        </details>
      )}
      {trouble && <Trouble trouble={trouble} />}
      {trouble && !props.isChanging && <OtherWays failure={trouble.failure} onPhone={onPhone} />}
      <Placed element={button.element} />
    </>
  )
}

/** The card, and the others in its place. */
function WithCard({
  host,
  card,
  isChanging,
  change,
  choice,
  button,
}: Omit<ApprovalProps, 'terms' | 'limits' | 'onPhone'>) {
  const { flow, view } = host
  if (card === null) return null
  const another = view.card_entry === undefined ? () => host.show(enterCard(host, () => host.redraw())) : null
  if (isChanging) {
    return <CardList {...{ host, choice }} chosen={card.card_id} keep={() => change(false)} useAnother={another} />
  }
  const press = () => {
    // What is being signed must stay as it stands there.
    if (button.isBusy()) return
    if (view.cards.length > 0) change(true)
    else another?.()
  }
  return (
    <CardHere card={card} note={<Words phrase={keepingNote(host)} />}>
      {!flow.cardFixed?.(view) && (view.cards.length > 0 || another) && (
        <Button kind="quiet" onPress={press} label={text.savedCards.changeNamed}>
          {text.savedCards.change}
        </Button>
      )}
    </CardHere>
  )
}

/** The keeper of the card, or that it is not kept. */
function keepingNote({ flow, view }: ScreenHost): Phrase {
  const { keeping } = flow.words
  if (typeof keeping !== 'string' && view.card_once) return keeping.deleted
  return filled(text.card.kept, { operator: foreign(view.operator.name) })
}

/** Whether the passkey is on this device no page can know. */
function OtherWays({ failure, onPhone }: { failure: PasskeyFailure; onPhone: () => void }) {
  if (failure !== 'cancelled' && failure !== 'unusable') return null
  return (
    <div class="other-ways">
      {failure === 'cancelled' && (
        <Button kind="secondary" onPress={onPhone}>
          {text.passkeyOnPhone}
        </Button>
      )}
      <p class="hint">{text.passkeyLost}</p>
    </div>
  )
}

function unreadable(host: ScreenHost): false {
  host.show(errorScreen(text.approval.unreadable, null, () => location.reload()))
  return false
}

/**
 * A passkey was made in place of a lost one: the owner who did not make it reads so before anything is approved with
 * it.
 */
function News({ view: { passkey_made_at: madeAt } }: { view: SurfaceView }) {
  if (madeAt === null) return null
  return <Notice>{filledText(text.approval.newPasskey, { when: momentText(new Date(madeAt)) })}</Notice>
}
