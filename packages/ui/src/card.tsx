import type { CardBrand } from '@mintmark/contract/card-brands'
import type { ComponentChildren } from 'preact'

/** Plain marks of our own: enough to tell cards apart, nothing fetched. The name beside them is text. */
interface Plastic {
  ground: string
  ink: string
  text?: string
  circles?: readonly [string, string]
}

/** A network of the contract without a look does not compile. */
const PLASTICS: Record<CardBrand, Plastic> = {
  visa: { ground: '#1a3fa0', ink: '#fff', text: 'VISA' },
  mastercard: { ground: '#20232b', ink: '#fff', circles: ['#e5312f', '#f4a32b'] },
  amex: { ground: '#1670c4', ink: '#fff', text: 'AMEX' },
  discover: { ground: '#f3f0ea', ink: '#b4541a', text: 'Discover' },
  diners: { ground: '#31527d', ink: '#fff', text: 'Diners' },
  jcb: { ground: '#176b3a', ink: '#fff', text: 'JCB' },
  unionpay: { ground: '#0f6a79', ink: '#fff', text: 'UnionPay' },
  maestro: { ground: '#20232b', ink: '#fff', circles: ['#2b7fd4', '#e5312f'] },
}

/** A card as an object, small. A network that is not known is a card without a name. */
export function Plastic({ brand }: { brand: CardBrand | null }) {
  const plastic = brand === null ? undefined : PLASTICS[brand]
  return (
    <svg class="plastic" viewBox="0 0 58 37" aria-hidden="true">
      <rect class={plastic ? undefined : 'plastic-blank'} width="58" height="37" rx="6" fill={plastic?.ground} />
      <rect class={plastic ? 'plastic-chip' : 'plastic-stripe'} x="7" y="9" width="9" height="7" rx="1.5" />
      {plastic?.circles?.map((fill, index) => (
        <circle key={fill} cx={38 + index * 8} cy="25" r="6.5" fill={fill} fill-opacity={index === 0 ? 1 : 0.88} />
      ))}
      {plastic?.text && (
        <text
          x="52"
          y="30.5"
          text-anchor="end"
          font-size={plastic.text.length > 6 ? 9 : 10.5}
          font-weight="800"
          font-style="italic"
          fill={plastic.ink}
        >
          {plastic.text}
        </text>
      )}
    </svg>
  )
}

/** The card that is used, and a way to another one. */
export function CardRow({ brand, name, note, children }: CardRowProps) {
  return (
    <div class="card-row">
      <Plastic brand={brand} />
      <span class="card-words">
        <span class="card-name">{name}</span>
        {note && <span class="hint">{note}</span>}
      </span>
      {children}
    </div>
  )
}

interface CardRowProps {
  brand: CardBrand | null
  name: ComponentChildren
  note?: ComponentChildren
  children?: ComponentChildren
}

/** One of several cards. One press takes it. */
export function CardChoice({ brand, name, note, isChosen, isUsable, onPress }: CardChoiceProps) {
  return (
    <button
      type="button"
      class={isUsable ? 'card-choice' : 'card-choice card-choice-off'}
      aria-pressed={isChosen}
      aria-disabled={!isUsable}
      // Focus stays where it is, so that nothing moves from under the finger.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => isUsable && onPress()}
    >
      <Plastic brand={brand} />
      <span class="card-words">
        <span class="card-name">{name}</span>
        <span class="hint">{note}</span>
      </span>
    </button>
  )
}

interface CardChoiceProps {
  brand: CardBrand | null
  name: ComponentChildren
  note: ComponentChildren
  isChosen: boolean
  isUsable: boolean
  onPress: () => void
}
