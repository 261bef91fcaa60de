import type { ActivityList } from '@mintmark/contract/wire/owner-activity'
import { words } from '../text/seen/words.ts'
import { ChargeList } from './charge-list.tsx'
import { reading } from './seen.ts'

const MOST = 5
const activity = reading<ActivityList>()

/** What agents did last. The page is whole without it. */
export function Lately() {
  activity.use('activity')
  const charges = activity.view.value?.charges ?? []
  if (charges.length === 0) return null
  return (
    <section>
      <h2>{words.lately}</h2>
      <ChargeList charges={charges.slice(0, MOST)} />
      <a href="/activity">{words.all}</a>
    </section>
  )
}
