import type { FrameAppearance } from '@mintmark/contract/frame'
import type { SurfaceBrand, SurfaceView } from '@mintmark/contract/wire/surface'
import { Alert } from '@mintmark/ui/notice.tsx'
import { Party } from '@mintmark/ui/party.tsx'
import { Foot, Head } from '@mintmark/ui/sheet.tsx'
import { render } from 'preact'
import { Bill } from './bill.tsx'
import { createCancelBar } from './cancel-bar.ts'
import { createCountdown } from './countdown.ts'
import { h } from './dom.ts'
import { Placed, Words } from './draw.tsx'
import { dress } from './dress.ts'
import type { Flow } from './flows/flow.ts'
import { holdPresses } from './hold-presses.ts'
import { liveRegion, say } from './live.ts'
import { hostText } from './money-text.ts'
import { foreign } from './phrase.ts'
import type { Screen } from './screen.ts'
import { createScreenSlot, type ScreenSlot } from './screen-slot.ts'
import { createSight, type Sight } from './sight.ts'
import { text } from './text/text.ts'
import { webAddress } from './web-address.ts'

/** The sheet: who asks, how much, what for, and a way out stay while screens come and go. */
export interface Page {
  element: HTMLElement
  describe(view: SurfaceView, flow: Flow): void
  summarise(view: SurfaceView, flow: Flow): void
  show(screen: Screen): void
  interrupt: ScreenSlot['interrupt']
  warn(words: string): void
  say(words: string): void
  /** What the page around this one says of how this one shall look. */
  tell(appearance: FrameAppearance): void
  /** Asks whether to leave; false where there is nothing to leave any more. */
  askToLeave(): boolean
  /** The payee, and how much: what must have been seen before anything is approved. */
  subjects(): Element[]
  sight: Sight
}

export interface PageOptions {
  embedded: boolean
  now(): Date
  cancel(): Promise<void>
  moreTime(): Promise<void>
  timeOver(): void
}

/** What the sheet says around its screen. */
interface Around {
  /** Null until the link has opened. */
  opened: { view: SurfaceView; flow: Flow } | null
  wayOut: HTMLElement | null
  alert: string | null
  isFinal: boolean
}

export function createPage(root: HTMLElement, { embedded, now, cancel, moreTime, timeOver }: PageOptions): Page {
  const slot = createScreenSlot()
  const sight = createSight(embedded)
  const countdown = createCountdown({ now, say, more: moreTime, over: timeOver })
  const element = h('main', { class: 'sheet' })
  document.documentElement.classList.toggle('embedded', embedded)

  // A frame stands in another site's page: it is light unless told. What it is told comes before anything is drawn, or
  // right after it.
  let appearance: FrameAppearance = { scheme: embedded ? 'light' : 'auto' }
  let brand: SurfaceBrand = {}
  let title = document.title
  let askToLeave = (): void => {}
  let around: Around = { opened: null, wayOut: null, alert: null, isFinal: false }
  const update = (changes: Partial<Around>) => {
    around = { ...around, ...changes }
    element.classList.toggle('sheet-bare', around.opened === null)
    render(<Sheet {...around} slot={slot.element} countdown={countdown.element} />, element)
  }
  // Once approved there is nothing left to cancel.
  const isLeavable = () =>
    around.opened !== null && around.opened.view.step !== 'processing' && !around.isFinal && around.wayOut !== null
  const subjects = () => [...element.querySelectorAll('.merchant-name, .amount')]
  // The skeleton that came with the page stays until there is something to show.
  const appear = () => {
    if (!element.isConnected) root.replaceChildren(element)
  }
  const introduce = (view: SurfaceView, flow: Flow) => {
    title = flow.title(view)
    const bar = createCancelBar(flow.words.cancel, cancel)
    askToLeave = bar.ask
    update({ wayOut: bar.element })
  }
  update({})
  return {
    element,
    say,
    summarise: (view, flow) => update({ opened: { view, flow } }),
    subjects,
    sight,
    askToLeave() {
      if (isLeavable()) askToLeave()
      return isLeavable()
    },
    tell({ summary = 'full', ...told }) {
      appearance = { ...appearance, ...told }
      dress(brand, appearance)
      const { dataset } = document.documentElement
      if ((dataset.summary ?? 'full') === summary) return
      dataset.summary = summary
      // What was pressed just before may have moved.
      holdPresses(element)
    },
    warn: (alert) => update({ alert }),
    describe(view, flow) {
      const isNew = around.opened === null
      brand = view.merchant.brand
      dress(brand, appearance)
      const counted = view.step !== 'processing' && view.step !== 'done'
      const from = view.more_time_from
      countdown.until(counted ? new Date(view.expires_at) : null, from === undefined ? null : new Date(from))
      element.dataset.step = view.step
      element.dataset.outcome = view.step === 'done' ? (view.outcome ?? 'unknown') : ''
      // The last screen says its reason itself.
      update({ opened: { view, flow }, alert: view.step === 'done' ? null : flow.failure(view) })
      sight.watch(...subjects())
      if (isNew) introduce(view, flow)
    },
    show(screen) {
      appear()
      if (screen.final) countdown.until(null, null)
      update({ isFinal: screen.final === true })
      // A cardholder who went to another tab meanwhile, for the bank's code or to wait, sees there how it ended.
      const end = screen.final ? screen.element.querySelector('h1')?.textContent : null
      document.title = end ? `${end} · ${title}` : title
      slot.show(screen)
    },
    interrupt(create) {
      appear()
      return slot.interrupt(create)
    },
  }
}

function Sheet({
  opened,
  wayOut,
  alert,
  isFinal,
  slot,
  countdown,
}: Around & Record<'slot' | 'countdown', HTMLElement>) {
  const isLeavable = opened !== null && opened.view.step !== 'processing' && !isFinal
  return (
    <>
      <div class="top">
        {opened && <Asker {...opened} wayOut={wayOut} isLeavable={isLeavable} />}
        <Placed element={countdown} />
        {opened && <Bill bill={opened.flow.bill(opened.view)} />}
      </div>
      <Alert words={alert} />
      <Placed element={slot} />
      {opened && <Keeper {...opened} isFinal={isFinal} />}
      <Placed element={liveRegion()} />
    </>
  )
}

function Asker({ view, flow, wayOut, isLeavable }: AskerProps) {
  const { name, url = null } = flow.party(view)
  return (
    <Head>
      <Party
        name={name}
        logo={view.merchant.brand.logo_url}
        title={<Words phrase={[foreign(name)]} />}
        host={url !== null && <Words phrase={[foreign(hostText(url))]} />}
        badge={view.environment === 'sandbox' && text.sandbox.badge}
      />
      {wayOut !== null && (
        <div class="way-out" hidden={!isLeavable}>
          <Placed element={wayOut} />
        </div>
      )}
    </Head>
  )
}

interface AskerProps {
  view: SurfaceView
  flow: Flow
  wayOut: HTMLElement | null
  isLeavable: boolean
}

/** The parties that get the card's details and those that do not, and where it is written what is done with them. */
function Keeper({ view, flow, isFinal }: KeeperProps) {
  const { name, ...addresses } = view.operator
  const links = (['privacy', 'terms', 'support'] as const).flatMap((kind) => {
    const href = webAddress(addresses[`${kind}_url`])
    return href === null ? [] : [{ href, words: text.operator[kind] }]
  })
  return (
    <Foot
      trust={!isFinal && <Words phrase={flow.trust(view)} />}
      name={<Words phrase={[foreign(name)]} />}
      links={links}
    />
  )
}

interface KeeperProps {
  view: SurfaceView
  flow: Flow
  isFinal: boolean
}
