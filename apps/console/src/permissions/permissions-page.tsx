import { MANDATE_STATES } from '@mintmark/contract/states'
import type { ConsolePermission, ConsolePermissions } from '@mintmark/contract/wire/console-permissions'
import { LINES } from '../curl.ts'
import { pageOf } from '../ids.ts'
import { type ListSource, useList } from '../list.ts'
import { CodeLine } from '../parts/copy.tsx'
import { chosenOf, Filters } from '../parts/filters.tsx'
import { ListBody } from '../parts/list-body.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Row } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { who } from '../session.ts'
import { words } from '../text/permissions/words.ts'
import { words as common } from '../text/shell/words.ts'
import { capOf, leftOf, StateBadge, shopOf } from './parts.tsx'

function sourceOf(state: string): ListSource<ConsolePermission, ConsolePermissions> {
  const path = state === '' ? 'permissions' : `permissions?state=${state}`
  return {
    path,
    key: path,
    after: 'before',
    itemsOf: ({ permissions }) => permissions,
    nextOf: ({ next_before }) => next_before,
    idOf: ({ mandate_id }) => mandate_id,
  }
}

export function PermissionsPage() {
  const state = chosenOf('state', MANDATE_STATES)
  const list = useList(sourceOf(state))
  const { permission, state: stands, customer, made } = words.columns
  return (
    <Page title={words.title} name={words.title}>
      <Filters
        label={words.filterBy}
        name="state"
        chosen={state}
        all={words.all}
        values={MANDATE_STATES.map((each) => [each, words.states[each]])}
      />
      <ListBody
        list={list}
        label={words.title}
        columns={[permission, stands, customer, made]}
        row={(each) => <PermissionRow key={each.mandate_id} permission={each} />}
        empty={
          state === '' ? (
            <Empty text={words.none}>
              <CodeLine line={LINES.permission(who.value?.api_url)} label={words.none} />
            </Empty>
          ) : (
            <Empty text={common.noneOf}>
              <a href="/permissions">{common.showAll}</a>
            </Empty>
          )
        }
      />
    </Page>
  )
}

function PermissionRow({ permission }: { permission: ConsolePermission }) {
  const { mandate_id, state, customer, agent_id, created_at } = permission
  return (
    <Row
      cells={[
        <a key="what" class="row-link" href={pageOf('permission', mandate_id)}>
          {capOf(permission)} {words.at} <bdi>{shopOf(permission)}</bdi>
        </a>,
        <span key="state" class="cell-states">
          <StateBadge permission={permission} />
          {state === 'available' && <span class="hint">{leftOf(permission)}</span>}
        </span>,
        <>
          <bdi>{customer ?? words.customerGone}</bdi>
          {agent_id !== null && <span class="cell-note">{words.byAgent}</span>}
        </>,
        <Time key="made" at={created_at} />,
      ]}
    />
  )
}
