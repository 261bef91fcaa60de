import { MAX_CHARGES_SHOWN } from '@mintmark/contract/states'
import type { ConsolePermissionView } from '@mintmark/contract/wire/console-permissions'
import { Panel } from '@mintmark/ui/panel.tsx'
import { Id } from '../parts/copy.tsx'
import { Bones, LostPage, Page, Tidings } from '../parts/page.tsx'
import { FactList, RowList } from '../parts/rows.tsx'
import { SignedPanel } from '../parts/signed.tsx'
import { StoryPanel } from '../parts/story-panel.tsx'
import { Time } from '../parts/time.tsx'
import { PaymentRow } from '../payments/payments-page.tsx'
import { useReading } from '../reading.ts'
import { words as payments } from '../text/payments/words.ts'
import { words } from '../text/permissions/words.ts'
import { words as common } from '../text/shell/words.ts'
import { capOf, StateBadge, shopOf, Window } from './parts.tsx'
import { standingOf, TONES } from './story.ts'

/** One permission: how it stands and what to do, then its window, its charges, and what was signed. */
export function PermissionPage({ id }: { id: string }) {
  const path = `permissions/${encodeURIComponent(id)}`
  const { view, lost, isNewer, isStale, again, show } = useReading<ConsolePermissionView>(path)
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.title} />
  const { permission } = view
  const standing = standingOf(permission)
  return (
    <Page
      name={`${capOf(permission)} ${words.at} ${shopOf(permission)}`}
      title={
        <>
          {capOf(permission)} <span class="title-more">{words.at}</span>{' '}
          <bdi class="title-more">{shopOf(permission)}</bdi>
        </>
      }
      crumb={
        <>
          <a href="/permissions">{words.back}</a> <span aria-hidden="true">/</span>{' '}
          <Id id={permission.mandate_id} of={words.ids.permission} />
        </>
      }
      under={
        <>
          <StateBadge permission={permission} />
          <span class="hint">
            <bdi>{permission.customer ?? words.customerGone}</bdi>
          </span>
        </>
      }
    >
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      <StoryPanel tone={TONES[standing]} title={words.story[standing].what}>
        <p>{words.story[standing].next}</p>
      </StoryPanel>
      <div class="columns">
        <div class="beside">
          <Window view={view} />
          <Charges view={view} />
        </div>
        <div class="beside">
          <SignedPanel sentence={view.sentence} words={words} />
          <About view={view} />
        </div>
      </div>
    </Page>
  )
}

function Charges({ view: { payments: made } }: { view: ConsolePermissionView }) {
  const { payment, state, customer, made: when } = payments.columns
  return (
    <>
      <h2 class="section-title">{words.charges}</h2>
      {made.length === 0 ? (
        <p class="none">{words.chargesNone}</p>
      ) : (
        <RowList label={words.charges} columns={[payment, state, customer, when]}>
          {made.map((each) => (
            <PaymentRow key={each.charge_id} payment={each} />
          ))}
        </RowList>
      )}
      {made.length >= MAX_CHARGES_SHOWN && <p class="none">{words.chargesNewest}</p>}
    </>
  )
}

function About({ view: { permission } }: { view: ConsolePermissionView }) {
  const { customer, agent_id, charge_count, max_charges, renews_at, valid_until, ended_at, created_at } = permission
  const { facts } = words
  return (
    <Panel title={words.aboutTitle}>
      <FactList
        facts={[
          [facts.customer, <bdi key="customer">{customer ?? words.customerGone}</bdi>],
          [facts.shop, <bdi key="shop">{shopOf(permission)}</bdi>],
          ...(agent_id === null ? [] : [[facts.agent, <Id key="agent" id={agent_id} of={words.ids.agent} />] as const]),
          [facts.count, words.count(charge_count, max_charges)],
          ...(renews_at === null ? [] : [[facts.renews, <Time key="renews" at={renews_at} />] as const]),
          [facts.ends, valid_until === null ? words.noEnd : <Time key="ends" at={valid_until} />],
          ...(ended_at === null ? [] : [[facts.ended, <Time key="ended" at={ended_at} />] as const]),
          [facts.made, <Time key="made" at={created_at} />],
        ]}
      />
    </Panel>
  )
}
