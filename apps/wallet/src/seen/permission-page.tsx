import type { ActivityCharge, ActivityList } from '@mintmark/contract/wire/owner-activity'
import type { OwnerPermission } from '@mintmark/contract/wire/owner-permissions'
import { get, post } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { dayOf } from '../money.ts'
import { wordsFor } from '../session.tsx'
import { words } from '../text/seen/words.ts'
import { Alert, Button, Loading, Notice, Sheet, said, Unreached } from '../ui.tsx'
import { ChargeList } from './charge-list.tsx'
import { capOf, isLive, PermissionGauge, shopOf } from './permission-parts.tsx'
import { paging, reading } from './seen.ts'

const view = reading<OwnerPermission>()
const charges = reading<ActivityList>()
const page = paging<ActivityCharge>()
const isAsking = signal(false)
const busy = signal(false)
const failure = signal('')

export function PermissionPage({ id }: { id: string }) {
  const path = `permissions/${encodeURIComponent(id)}`
  view.use(path)
  charges.use(`${path}/charges`)
  const made = charges.view.value
  useEffect(() => {
    if (made !== undefined) page.begin(made.charges, made.next_before)
  }, [made])
  if (view.lost.value === 'unknown') {
    return (
      <Notice title={words.permissionUnknownTitle} words={words.permissionUnknown} tone="warn">
        <div class="actions">
          <a class="button button-secondary" href="/permissions">
            {words.toPermissions}
          </a>
        </div>
      </Notice>
    )
  }
  if (view.lost.value === 'unreachable') return <Unreached again={() => void refresh(path)} />
  const permission = view.view.value
  if (permission === undefined) return <Loading />
  return (
    <Sheet wide title={shopOf(permission)}>
      <p class="lead">
        {capOf(permission)} · {words.states[permission.state]}
      </p>
      <PermissionGauge permission={permission} />
      <Facts permission={permission} />
      <Alert words={failure.value} />
      {isLive(permission) && <Stop path={path} />}
      <section>
        <h2>{words.chargesUnder}</h2>
        {made !== undefined && made.charges.length === 0 && <p class="note">{words.chargesNone}</p>}
        <ChargeList charges={page.items.value} />
        {page.next.value !== null && (
          <Button kind="secondary" busy={page.isBusy.value} onPress={() => void more(path)}>
            {words.more}
          </Button>
        )}
      </section>
    </Sheet>
  )
}

async function refresh(path: string): Promise<void> {
  await Promise.all([view.refresh(path), charges.refresh(`${path}/charges`)])
}

const more = (path: string) =>
  page.more(async (before) => {
    const found = await get<ActivityList>(`${path}/charges?before=${before}`)
    return { found: found.charges, following: found.next_before }
  })

function Facts({ permission }: { permission: OwnerPermission }) {
  const { agent, agent_id, merchant_host, merchant_scope, created_at, valid_until, ended_at } = permission
  return (
    <dl class="facts">
      {agent !== null && agent_id !== null && (
        <>
          <dt>{words.agent}</dt>
          <dd>
            <a href={`/agents/${encodeURIComponent(agent_id)}`}>
              <bdi>{agent}</bdi>
            </a>
          </dd>
        </>
      )}
      <dt>{words.shop}</dt>
      <dd>{merchant_scope === 'any' ? words.anyShopName : <bdi>{merchant_host}</bdi>}</dd>
      <dt>{words.charges}</dt>
      <dd>{words.times(permission.charges, permission.max_charges)}</dd>
      <dt>{words.end}</dt>
      <dd>
        {words.since(dayOf(created_at))},{' '}
        {ended_at === null ? words.until(dayOf(valid_until)) : words.endedOn(dayOf(ended_at))}
      </dd>
    </dl>
  )
}

/** What cannot be undone asks once. */
function Stop({ path }: { path: string }) {
  if (isAsking.value) {
    return (
      <div class="confirm">
        <p id="end-words">{words.endWords}</p>
        <div class="pair">
          <Button kind="secondary" onPress={() => ask(false)}>
            {words.keep}
          </Button>
          <Button kind="danger" busy={busy.value} describedBy="end-words" onPress={() => void end(path)}>
            {words.endNow}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <div class="actions">
      <Button kind="danger" onPress={() => ask(true)}>
        {words.endIt}
      </Button>
    </div>
  )
}

function ask(whether: boolean): void {
  isAsking.value = whether
  failure.value = ''
}

async function end(path: string): Promise<void> {
  if (busy.value) return
  busy.value = true
  failure.value = ''
  try {
    await post(`${path}/end`)
    isAsking.value = false
    said.value = words.hasEnded
  } catch (error) {
    failure.value = wordsFor(error)
  } finally {
    busy.value = false
    await view.refresh(path)
  }
}
