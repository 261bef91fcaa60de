import { ACTIVITY_OUTCOMES } from '@mintmark/contract/owner-activity'
import type { HomeView } from '@mintmark/contract/wire/owner'
import type { ActivityCharge, ActivityList, ShopList } from '@mintmark/contract/wire/owner-activity'
import { get } from '@mintmark/ui/backend.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { locale } from '../text/language.ts'
import { words } from '../text/seen/words.ts'
import { Button, Loading, Sheet, Unreached } from '../ui.tsx'
import { ChainMark } from './chain-mark.tsx'
import { ChargeList } from './charge-list.tsx'
import { Download } from './download.tsx'
import { paging, reading } from './seen.ts'

const FILTERS = ['agent', 'shop', 'month', 'outcome'] as const
type Filter = (typeof FILTERS)[number]
type Filters = Partial<Record<Filter, string>>

/** The address has them, so that the same view opens from it again. */
function fromAddress(): Filters {
  const asked = new URLSearchParams(location.search)
  return Object.fromEntries(FILTERS.flatMap((name) => (asked.get(name) ? [[name, asked.get(name)]] : [])))
}

const filters = signal<Filters>(fromAddress())
const agents = signal<readonly { id: string; name: string }[]>([])
const shops = signal<readonly string[]>([])
const first = reading<ActivityList>()
const page = paging<ActivityCharge>()

const queryOf = (chosen: Filters, more: Record<string, string> = {}) =>
  new URLSearchParams({ ...chosen, ...more }).toString()

function choose(name: Filter, value: string): void {
  const { [name]: _, ...others } = filters.value
  filters.value = value === '' ? others : { ...others, [name]: value }
  const query = queryOf(filters.value)
  history.replaceState(null, '', query === '' ? '/activity' : `/activity?${query}`)
}

/** What can be chosen. The list is there without it. */
async function readChoices(): Promise<void> {
  const [home, known] = await Promise.all([get<HomeView>('home'), get<ShopList>('activity/shops')]).catch(() => [])
  agents.value = home?.agents.map(({ agent_id: id, name }) => ({ id, name })) ?? []
  shops.value = known?.shops ?? []
}

export function ActivityPage() {
  const query = queryOf(filters.value)
  first.use(`activity?${query}`)
  useEffect(() => void readChoices(), [])
  const seen = first.view.value
  useEffect(() => {
    if (seen === undefined) return
    page.begin(seen.charges, seen.next_before)
    void fill()
  }, [seen])
  if (first.lost.value !== undefined) return <Unreached again={() => void first.refresh(`activity?${query}`)} />
  if (seen === undefined) return <Loading />
  const isFiltered = query !== ''
  if (page.items.value.length === 0 && seen.charges.length === 0 && !isFiltered) {
    return (
      <Sheet wide title={words.activityTitle}>
        <p class="lead">{words.activityNone}</p>
        <ChainMark />
      </Sheet>
    )
  }
  return (
    <Sheet wide title={words.activityTitle}>
      <FilterForm />
      {page.items.value.length === 0 && !page.isBusy.value ? (
        <p class="lead">{words.activityNoneOf}</p>
      ) : (
        <ChargeList charges={page.items.value} />
      )}
      {page.next.value !== null && (
        <Button kind="secondary" busy={page.isBusy.value} onPress={() => void more()}>
          {words.more}
        </Button>
      )}
      <Download query={query} />
      <ChainMark />
    </Sheet>
  )
}

/** What is rare is looked for further back, until there is a page of it or the beginning is reached. */
async function fill(): Promise<void> {
  for (let turn = 0; turn < MAX_TURNS && page.items.value.length < ENOUGH; turn += 1) {
    if (!(await next())) return
  }
}

const ENOUGH = 20
const MAX_TURNS = 60

async function more(): Promise<void> {
  await next()
  await fill()
}

const next = () =>
  page.more(async (before) => {
    const { charges, next_before } = await get<ActivityList>(`activity?${queryOf(filters.value, { before })}`)
    return { found: charges, following: next_before }
  })

function FilterForm() {
  const chosen = filters.value
  const named = [
    ...shops.value,
    ...(chosen.shop === undefined || shops.value.includes(chosen.shop) ? [] : [chosen.shop]),
  ]
  return (
    <form class="filters" aria-label={words.filters} onSubmit={(event) => event.preventDefault()}>
      <Choice
        name="agent"
        label={words.byAgent}
        all={words.allAgents}
        values={agents.value.map(({ id, name }) => [id, name])}
      />
      <Choice name="shop" label={words.byShop} all={words.allShops} values={named.map((shop) => [shop, shop])} />
      <Choice name="month" label={words.byMonth} all={words.allMonths} values={lastMonths()} />
      <Choice
        name="outcome"
        label={words.byOutcome}
        all={words.allOutcomes}
        values={ACTIVITY_OUTCOMES.map((outcome) => [outcome, words.outcomes[outcome]])}
      />
    </form>
  )
}

interface ChoiceProps {
  name: Filter
  label: string
  all: string
  values: readonly (readonly [string, string])[]
}

function Choice({ name, label, all, values }: ChoiceProps) {
  const chosen = filters.value[name] ?? ''
  return (
    <div class="field">
      <label for={`by-${name}`}>{label}</label>
      <select id={`by-${name}`} value={chosen} onChange={(event) => choose(name, event.currentTarget.value)}>
        <option value="">{all}</option>
        {values.map(([value, shown]) => (
          <option key={value} value={value} selected={value === chosen}>
            {shown}
          </option>
        ))}
      </select>
    </div>
  )
}

const MONTHS = 24

/** The last two years, by month, as the limits count them: UTC. */
function lastMonths(): [string, string][] {
  const now = new Date()
  const name = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return Array.from({ length: MONTHS }, (_, back) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back))
    return [month.toISOString().slice(0, 7), name.format(month)]
  })
}
