import { Button } from '@mintmark/ui/button.tsx'
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Lost } from '../session.ts'
import { words } from '../text/shell/words.ts'

/** What is said to screen readers without moving the focus. */
export const said = signal('')

/** One page: its heading takes the focus when it appears, so that a screen reader starts there. */
export function Page({ title, name, crumb, under, acts, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = words.title(name)
    // What is being typed in, such as the finder, keeps it.
    if (!(document.activeElement instanceof HTMLInputElement)) heading.current?.focus({ preventScroll: true })
  }, [name])
  return (
    <main id="page" class="page">
      {crumb && <p class="crumb">{crumb}</p>}
      <div class="page-head">
        <div class="page-title">
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {under && <div class="page-under">{under}</div>}
        </div>
        {acts && <div class="page-acts">{acts}</div>}
      </div>
      {children}
    </main>
  )
}

interface PageProps {
  title: ComponentChildren
  /** The title as plain text, for the window. */
  name: string
  /** The way to the list that it is of. */
  crumb?: ComponentChildren
  under?: ComponentChildren
  acts?: ComponentChildren
  children?: ComponentChildren
}

/** There is nothing to show, why, and what to do. Signed out elsewhere, the sign-in takes its place. */
export function LostPage({ lost, again }: { lost: Lost; again: () => void }) {
  const { title, words: why } = words.lost[lost]
  return (
    <Page title={title} name={title}>
      <div class="empty">
        <p>{why}</p>
        {lost !== 'unknown' && (
          <div class="empty-acts">
            <Button onPress={again}>{words.again}</Button>
          </div>
        )}
      </div>
    </Page>
  )
}

/** In the place of what is on its way. */
export function Bones({ title }: { title: string }) {
  return (
    <main id="page" class="page" aria-busy="true">
      <h1 class="visually-hidden">{`${title}: ${words.loading}`}</h1>
      <span class="bone bone-title" />
      <span class="bone bone-block" />
      <BoneRows />
    </main>
  )
}

export function BoneRows() {
  return (
    <div class="panel bone-rows" aria-hidden="true">
      {[1, 2, 3, 4, 5].map((row) => (
        <span key={row} class="bone" />
      ))}
    </div>
  )
}

/** What is new is told, and shown at a press; that no answer came is told as well. */
export function Tidings({ news, isStale, show }: { news: string; isStale: boolean; show: () => void }) {
  return (
    <div class="tidings" role="status">
      {isStale && <p class="notice">{words.stale}</p>}
      {news !== '' && (
        <button type="button" class="news" onClick={show}>
          <span>{news}</span> <span class="news-act">{words.showIt}</span>
        </button>
      )}
    </div>
  )
}

/** Where nothing is yet: how the first one comes. */
export function Empty({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{text}</p>
      {children}
    </div>
  )
}
