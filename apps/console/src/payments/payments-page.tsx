import { MONEY_STATES } from '@mintmark/contract/console'
import { CHARGE_STATUSES, PAYMENT_FAILURE_CODES } from '@mintmark/contract/states'
import type { ConsolePayment, ConsolePayments } from '@mintmark/contract/wire/console'
import { Money } from '@mintmark/ui/money.tsx'
import { LINES } from '../curl.ts'
import { pageOf } from '../ids.ts'
import { type ListSource, useList } from '../list.ts'
import { CodeLine } from '../parts/copy.tsx'
import { chosenOf, Filters } from '../parts/filters.tsx'
import { ListBody } from '../parts/list-body.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Row } from '../parts/rows.tsx'
import { locale, Time } from '../parts/time.tsx'
import { who } from '../session.ts'
import { words } from '../text/payments/words.ts'
import { words as common } from '../text/shell/words.ts'
import { story } from '../text/story/words.ts'
import { StatusBadge } from './status-badge.tsx'

function sourceOf(filters: Filtered): ListSource<ConsolePayment, ConsolePayments> {
  const { status, code, money } = filters
  const path = status === '' ? 'payments' : `payments?status=${status}`
  return {
    path,
    key: `${path} ${code} ${money}`,
    after: 'before',
    itemsOf: ({ payments }) => payments,
    nextOf: ({ next_before }) => next_before,
    idOf: ({ charge_id }) => charge_id,
    isWanted: (payment) => (code === '' || payment.code === code) && (money === '' || payment.money === money),
  }
}

/** What the address asks for. */
const filtered = () => ({
  status: chosenOf('status', CHARGE_STATUSES),
  code: chosenOf('code', PAYMENT_FAILURE_CODES),
  money: chosenOf('money', MONEY_STATES),
})
type Filtered = ReturnType<typeof filtered>

export function PaymentsPage() {
  const filters = filtered()
  const { status, code, money } = filters
  const list = useList(sourceOf(filters))
  const isAll = status === '' && code === '' && money === ''
  return (
    <Page title={words.title} name={words.title}>
      <Filters
        label={words.filterBy}
        name="status"
        chosen={status}
        all={words.all}
        values={CHARGE_STATUSES.map((each) => [each, words.statuses[each]])}
      />
      {code !== '' && <Only what={words.onlyCode(story.failed[code].what)} />}
      {money !== '' && <Only what={words.onlyMoney(words.moneys[money])} />}
      <ListBody
        list={list}
        label={words.title}
        columns={[words.columns.payment, words.columns.state, words.columns.customer, words.columns.made]}
        row={(payment) => <PaymentRow key={payment.charge_id} payment={payment} />}
        empty={
          isAll ? (
            <Empty text={words.none}>
              <CodeLine line={LINES.session(who.value?.api_url)} label={words.none} />
            </Empty>
          ) : (
            <Empty text={common.noneOf}>
              <a href="/payments">{common.showAll}</a>
            </Empty>
          )
        }
      />
    </Page>
  )
}

/** What else narrows the list, and the way out of it. */
function Only({ what }: { what: string }) {
  return (
    <p class="only">
      {what} <a href="/payments">{common.showAll}</a>
    </p>
  )
}

export function PaymentRow({ payment }: { payment: ConsolePayment }) {
  const { charge_id, amount, currency, merchant, customer, agent, code, created_at } = payment
  return (
    <Row
      cells={[
        <>
          <a class="row-link" href={pageOf('payment', charge_id)}>
            <Money {...{ amount, currency, locale }} /> {words.at} <bdi>{merchant}</bdi>
          </a>
          {code !== null && <span class="cell-note">{story.failed[code].what}</span>}
        </>,
        <span class="cell-states">
          <StatusBadge payment={payment} />
          <span class="hint">{words.moneys[payment.money]}</span>
        </span>,
        <>
          <bdi>{customer ?? words.customerGone}</bdi>
          {agent !== null && (
            <span class="cell-note">
              <bdi>{words.byAgent(agent)}</bdi>
            </span>
          )}
        </>,
        <Time at={created_at} />,
      ]}
    />
  )
}
