import type { HomeView } from '@mintmark/contract/wire/owner'
import type { ActivityList } from '@mintmark/contract/wire/owner-activity'
import { LimitBars } from '../limit-bars.tsx'
import { day } from '../money.ts'
import { words } from '../text/seen/words.ts'
import { Loading, Mark, Notice, Sheet, Unreached } from '../ui.tsx'
import { ChargeList } from './charge-list.tsx'
import { reading } from './seen.ts'

const home = reading<HomeView>()
const activity = reading<ActivityList>()

/** One agent, also one that has ended: its limits, and what it did. */
export function AgentPage({ id }: { id: string }) {
  const query = new URLSearchParams({ agent: id })
  home.use('home')
  activity.use(`activity?${query}`)
  if (home.lost.value !== undefined) return <Unreached again={() => void home.refresh('home')} />
  const seen = home.view.value
  if (seen === undefined) return <Loading />
  const agent = seen.agents.find(({ agent_id }) => agent_id === id)
  if (agent === undefined) return <Notice title={words.agentUnknownTitle} words={words.agentUnknown} tone="warn" />
  const { name, platform, created_at, ended_at, limits, terms } = agent
  const charges = activity.view.value?.charges ?? []
  return (
    <Sheet
      wide
      title={words.agentTitle(name)}
      head={
        <div class="head">
          <Mark name={name} />
          <p class="head-words">
            {platform !== null && <bdi>{platform}</bdi>}
            <small>{words.agentSince(day(created_at))}</small>
          </p>
        </div>
      }
    >
      {ended_at === null ? (
        <LimitBars limits={limits} currency={terms.currency} />
      ) : (
        <p class="lead">{words.agentEnded(day(ended_at))}</p>
      )}
      <section>
        <h2>{words.lately}</h2>
        {charges.length === 0 && <p class="note">{words.chargesNone}</p>}
        <ChargeList charges={charges} />
        {activity.view.value?.next_before != null && <a href={`/activity?${query}`}>{words.all}</a>}
      </section>
    </Sheet>
  )
}
