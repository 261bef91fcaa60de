import type { Need } from '@mintmark/contract/console'
import type { ConsoleHome } from '@mintmark/contract/wire/console'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { pageOf } from '../ids.ts'
import { Bones, LostPage, Page, Tidings } from '../parts/page.tsx'
import { useReading } from '../reading.ts'
import { words } from '../text/home/words.ts'
import { words as common } from '../text/shell/words.ts'
import { story } from '../text/story/words.ts'
import { FirstRun } from './first-run.tsx'
import { MoneyPicture } from './money-picture.tsx'
import { isFirstRun } from './steps.ts'

/** The first run, until all four steps are done; from then on what there is and what needs a person. */
export function HomePage() {
  // Steps tick themselves: nothing is read there that could move away.
  const { view, lost, isNewer, isStale, again, show } = useReading<ConsoleHome>('home', { asItComes: isFirstRun })
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.title} />
  return (
    <Page title={words.title} name={words.title}>
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      {isFirstRun(view) && <FirstRun steps={view.steps} />}
      <Needs needs={view.needs} />
      {isFirstRun(view) && view.money.length === 0 ? null : (
        <div class="halves">
          <MoneyPicture view={view} />
          <Failures failures={view.failures} />
        </div>
      )}
    </Page>
  )
}

/** Where one sees to it. One thing leads to itself, several to their list. */
const NEED_PAGES: Record<Need, { list: string; kind: 'endpoint' | 'payment' }> = {
  endpoint_paused: { list: '/webhooks', kind: 'endpoint' },
  endpoint_unverified: { list: '/webhooks', kind: 'endpoint' },
  report_overdue: { list: '/payments?status=awaiting_result', kind: 'payment' },
  outcome_unknown: { list: '/payments?money=not_known', kind: 'payment' },
}

function Needs({ needs }: Pick<ConsoleHome, 'needs'>) {
  const waiting = needs.filter(({ count }) => count > 0)
  if (waiting.length === 0) return null
  return (
    <Panel title={words.needs} aside={<Badge tone="warn">{waiting.reduce((sum, { count }) => sum + count, 0)}</Badge>}>
      <ul class="ways">
        {waiting.map(({ need, count, id }) => (
          <li key={need}>
            <a href={id === null ? NEED_PAGES[need].list : pageOf(NEED_PAGES[need].kind, id)}>
              <span>{words.need[need](count)}</span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Failures({ failures }: Pick<ConsoleHome, 'failures'>) {
  return (
    <Panel title={words.failures}>
      {failures.length === 0 ? (
        <p class="none">{words.failuresNone}</p>
      ) : (
        <ul class="ways">
          {failures.map(({ code, count }) => (
            <li key={code}>
              <a href={`/payments?status=failed&code=${code}`}>
                <span>{story.failed[code].what}</span>
                <span class="hint mono">{code}</span>
                <span class="ways-count">{count}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
