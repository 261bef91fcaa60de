import type { OwnerCards } from '@mintmark/contract/wire/owner-permissions'
import { words } from '../text/seen/words.ts'
import { Loading, Sheet, Unreached } from '../ui.tsx'
import { capOf, shopOf } from './permission-parts.tsx'
import { reading } from './seen.ts'

type Card = OwnerCards['cards'][number]

const cards = reading<OwnerCards>()

/** The cards of an owner by brand and last four figures, which is all of their numbers that the page knows. */
export function CardsPage() {
  cards.use('cards')
  if (cards.lost.value !== undefined) return <Unreached again={() => void cards.refresh('cards')} />
  const seen = cards.view.value
  if (seen === undefined) return <Loading />
  return (
    <Sheet wide title={words.cardsTitle}>
      {seen.cards.length === 0 && <p class="lead">{words.cardsNone}</p>}
      <ul class="agents">
        {seen.cards.map((card) => (
          <Shown key={card.card_id} card={card} />
        ))}
      </ul>
    </Sheet>
  )
}

const two = (number: number) => String(number).padStart(2, '0')

function Shown({ card }: { card: Card }) {
  const { brand, last4, exp_month, exp_year, status, is_default, permissions } = card
  const name = words.cardName(brand === null ? words.card : capital(brand), last4)
  return (
    <li class="agent">
      <div class="head">
        <p class="head-words">
          <span class="strong">{name}</span>
          <small>{words.expires(`${two(exp_month)}/${two(exp_year % 100)}`)}</small>
        </p>
        {status === 'deleted' && <span class="chip chip-calm">{words.deleted}</span>}
        {is_default && <span class="chip chip-good">{words.isDefault}</span>}
      </div>
      {status === 'active' && <Hanging card={name} permissions={permissions} />}
    </li>
  )
}

const capital = (brand: string) => brand.charAt(0).toUpperCase() + brand.slice(1)

function Hanging({ card, permissions }: { card: string; permissions: Card['permissions'] }) {
  if (permissions.length === 0) return <p class="note">{words.hangsNothing}</p>
  return (
    <>
      <ul class="lines" aria-label={`${words.hangs}: ${card}`}>
        {permissions.map((permission) => (
          <li key={permission.mandate_id}>
            <a href={`/permissions/${encodeURIComponent(permission.mandate_id)}`}>
              <bdi>{shopOf(permission)}</bdi>
            </a>
            <span>{capOf(permission)}</span>
          </li>
        ))}
      </ul>
      <p class="note">{words.hangsWords}</p>
    </>
  )
}
