import { sandboxStepUpCode } from '@mintmark/contract/surface'
import type { SurfaceCardOnFile } from '@mintmark/contract/wire/surface'
import { CardRow } from '@mintmark/ui/card.tsx'
import { directionOf } from '@mintmark/ui/direction.ts'
import { type Row, Rows } from '@mintmark/ui/lines.tsx'
import { Quiet } from '@mintmark/ui/notice.tsx'
import { longestWord, Say } from '@mintmark/ui/say.tsx'
import type { ComponentChildren } from 'preact'
import { cardExpiry, cardName, knownBrand, shortCardName } from './card-text.ts'
import { paragraph } from './dom.ts'
import { Words } from './draw.tsx'
import { isExpired } from './expiry-rules.ts'
import type { Said, TermLine } from './flows/flow.ts'
import { filled, foreign, type Phrase } from './phrase.ts'
import type { PasskeyTrouble, ScreenHost } from './screen.ts'
import { text } from './text/text.ts'

/** The card that is used; what is said of it stands below its name. */
export function CardHere({ card, note, children }: CardHereProps) {
  return (
    <CardRow brand={knownBrand(card.card_brand)} name={<CardName card={card} />} note={note}>
      {children}
    </CardRow>
  )
}

/** Short for the eye, in words for who hears it. */
export function CardName({ card }: { card: SurfaceCardOnFile }) {
  return (
    <>
      <span aria-hidden="true">{shortCardName(card)}</span>
      <span class="visually-hidden">{cardName(card)}</span>
    </>
  )
}

interface CardHereProps {
  card: SurfaceCardOnFile
  note?: ComponentChildren
  children?: ComponentChildren
}

export function ExpiryNote({ card, now }: { card: SurfaceCardOnFile; now: Date }) {
  const expired = isExpired({ month: card.card_exp_month, year: card.card_exp_year }, now)
  const words = expired ? text.card.expired : text.card.expires
  return <Words phrase={filled(words, { date: foreign(cardExpiry(card)) })} />
}

/** Where a card is typed, and there is no choice: that it is kept. */
export function saysKept({ flow, view }: ScreenHost): HTMLElement {
  const { keeping } = flow.words
  const kept = typeof keeping === 'string' ? keeping : keeping.kept
  return paragraph(filled(kept, { operator: foreign(view.operator.name) }), 'hint')
}

export function Sentence({ phrase }: { phrase: Phrase }) {
  return (
    <Say>
      <Words phrase={phrase} />
    </Say>
  )
}

/** The same as it is signed, word for word. */
export function Signed({ sentence: { language, text: said }, title }: { sentence: Said; title?: string }) {
  return (
    <Say language={language} longest={longestWord(said)}>
      {title && <b>{title} </b>}
      <bdi dir={directionOf(language)}>{said}</bdi>
    </Say>
  )
}

/** Labels and what they say. */
export function TermRows({ lines }: { lines: readonly TermLine[] }) {
  return <Rows rows={rowsOf(lines)} />
}

export function rowsOf(lines: readonly TermLine[]): Row[] {
  return lines.map(({ label, value, items = [] }) => ({
    label,
    value: <Words phrase={value} />,
    items: items.map((item, index) => <Words phrase={item} key={index} />),
  }))
}

/** Why a passkey was not used, as far as it is known: calm, because nothing happened. */
export function Trouble({ trouble: { failure, words } }: { trouble: PasskeyTrouble }) {
  const general = text.passkeyFailures[failure]
  return <Quiet title={general.title}>{words ?? general.text}</Quiet>
}

/** For the sandbox only. */
function SandboxHint({ phrase }: { phrase: Phrase }) {
  return (
    <p class="sandbox-hint">
      <Words phrase={phrase} />
    </p>
  )
}

export function SandboxCode({ number }: { number: number }) {
  return <SandboxHint phrase={filled(text.sandbox.testCode, { code: { code: sandboxStepUpCode(number) } })} />
}

export function SandboxCard() {
  return <SandboxHint phrase={filled(text.sandbox.testCard, { card: { code: '4242 4242 4242 4242' } })} />
}
