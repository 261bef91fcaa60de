import { CARD_BRAND_NAMES, CARD_BRANDS, type CardBrand } from '@mintmark/contract/card-brands'
import { moneyText } from '@mintmark/contract/sentence/format'
import type { ConsolePaymentView } from '@mintmark/contract/wire/console'
import { CardRow } from '@mintmark/ui/card.tsx'
import { Money } from '@mintmark/ui/money.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { pageOf } from '../ids.ts'
import { Id } from '../parts/copy.tsx'
import { Bones, LostPage, Page, Tidings } from '../parts/page.tsx'
import { FactList } from '../parts/rows.tsx'
import { SignedPanel } from '../parts/signed.tsx'
import { StoryPanel } from '../parts/story-panel.tsx'
import { locale, Time, timeText } from '../parts/time.tsx'
import { isEqual, useReading } from '../reading.ts'
import { words } from '../text/payments/words.ts'
import { words as common } from '../text/shell/words.ts'
import { story as table } from '../text/story/words.ts'
import { History } from './history.tsx'
import { StatusBadge } from './status-badge.tsx'
import { storyOf } from './story.ts'

/** The clock of the answer is no part of what it says. */
const saysSame = (seen: ConsolePaymentView, fresh: ConsolePaymentView) =>
  isEqual({ ...seen, now: '' }, { ...fresh, now: '' })

/** One payment: what happened, then how it came about, and all that it is about. */
export function PaymentPage({ id }: { id: string }) {
  const path = `payments/${encodeURIComponent(id)}`
  const { view, lost, isNewer, isStale, again, show } = useReading<ConsolePaymentView>(path, { saysSame })
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.title} />
  const { payment } = view
  const { charge_id, amount, currency, merchant, code } = payment
  return (
    <Page
      name={`${moneyText(amount, currency, { locale })} ${words.at} ${merchant}`}
      title={
        <>
          <Money {...{ amount, currency, locale }} /> <span class="title-more">{words.at}</span>{' '}
          <bdi class="title-more">{merchant}</bdi>
        </>
      }
      crumb={
        <>
          <a href="/payments">{words.back}</a> <span aria-hidden="true">/</span>{' '}
          <Id id={charge_id} of={words.ids.charge} />
        </>
      }
      under={
        <>
          <StatusBadge payment={payment} />
          {code !== null && <span class="mono hint">{code}</span>}
          <span class="hint">{words.moneys[payment.money]}</span>
          {view.order_ref !== null && (
            <span class="hint">
              <bdi>{view.order_ref}</bdi>
            </span>
          )}
        </>
      }
    >
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      <PaymentStory view={view} />
      <div class="columns">
        <History view={view} />
        <div class="beside">
          <Signed view={view} />
          <Ids view={view} />
          <About view={view} />
          <Bought view={view} />
        </div>
      </div>
    </Page>
  )
}

function PaymentStory({ view: { payment, open_until, lapses_at } }: { view: ConsolePaymentView }) {
  const sum = moneyText(payment.amount, payment.currency, { locale })
  const { what, money, next, tone } = storyOf(table, payment, sum)
  const isOpen = payment.status !== 'completed' && payment.status !== 'failed'
  return (
    <StoryPanel tone={tone} title={what}>
      <p>
        <b class="story-money">{money}</b> {next}
      </p>
      {open_until !== null && <p class="hint">{words.waitsUntil(timeText(open_until))}</p>}
      {isOpen && lapses_at !== null && <p class="hint">{words.usableUntil(timeText(lapses_at))}</p>}
    </StoryPanel>
  )
}

/** What was signed, and the card that pays. */
function Signed({ view: { sentence, card } }: { view: ConsolePaymentView }) {
  return (
    <SignedPanel sentence={sentence} words={words}>
      {card === null ? (
        <p class="hint">{words.noCard}</p>
      ) : (
        <CardRow
          brand={brandOf(card.brand)}
          name={words.cardName(nameOf(card.brand), card.last_four)}
          note={words.cardUntil(`${String(card.expiry_month).padStart(2, '0')}/${card.expiry_year}`)}
        />
      )}
    </SignedPanel>
  )
}

const brandOf = (name: string | null): CardBrand | null => CARD_BRAND_NAMES.find((brand) => brand === name) ?? null

/** A network that is not known is said as the network calls itself. */
function nameOf(brand: string | null): string {
  const known = brandOf(brand)
  return known === null ? (brand ?? words.card) : CARD_BRANDS[known].name
}

function Ids({ view: { payment, order_id, order_ref, reference } }: { view: ConsolePaymentView }) {
  const ids: [string, string | null][] = [
    [words.ids.charge, payment.charge_id],
    [words.ids.session, payment.session_id],
    [words.ids.mandate, payment.mandate_id],
    [words.ids.order, order_id],
    [words.ids.orderRef, order_ref],
    [words.ids.reference, reference],
  ]
  return (
    <Panel title={words.idsTitle}>
      <FactList
        facts={ids.flatMap(([label, id]) =>
          id === null ? [] : [[label, <Id key={label} id={id} href={hrefOf(label, id)} of={label} />] as const],
        )}
      />
    </Panel>
  )
}

const hrefOf = (label: string, id: string) => (label === words.ids.mandate ? pageOf('permission', id) : undefined)

function About({ view: { payment, merchant_url } }: { view: ConsolePaymentView }) {
  const { customer, agent, origin, created_at } = payment
  return (
    <Panel title={words.aboutTitle}>
      <FactList
        facts={[
          [words.facts.customer, <bdi key="customer">{customer ?? words.customerGone}</bdi>],
          ...(agent === null ? [] : [[words.facts.agent, <bdi key="agent">{agent}</bdi>] as const]),
          // An address that others wrote: it is read, not followed.
          [words.facts.shop, <bdi key="shop">{merchant_url}</bdi>],
          [words.facts.origin, words.origins[origin]],
          [words.facts.made, <Time key="made" at={created_at} />],
        ]}
      />
    </Panel>
  )
}

/** So many are shown openly. */
const OPEN_PRODUCTS = 5

function Bought({ view: { products, payment } }: { view: ConsolePaymentView }) {
  const { currency } = payment
  return (
    <Panel title={words.bought}>
      {products.length === 0 && <p class="none">{words.notListed}</p>}
      <FactList
        facts={products
          .slice(0, OPEN_PRODUCTS)
          .map(({ name, unit_price: amount, quantity }) => [
            quantity === null ? name : words.quantity(name, quantity),
            amount === null ? '' : <Money key={name} {...{ amount, currency, locale }} />,
          ])}
      />
      {products.length > OPEN_PRODUCTS && <p class="none">{words.more(products.length - OPEN_PRODUCTS)}</p>}
    </Panel>
  )
}
