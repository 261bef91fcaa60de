import { mayAs } from '@mintmark/contract/console'
import type { ConsoleKeys, MadeKey } from '@mintmark/contract/wire/console-keys'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import type { ComponentChild } from 'preact'
import { useState } from 'preact/hooks'
import { LINES } from '../curl.ts'
import { CodeLine } from '../parts/copy.tsx'
import { Bones, Empty, LostPage, Page, Tidings } from '../parts/page.tsx'
import { Row, RowList } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { useAct } from '../people/act.ts'
import { useReading } from '../reading.ts'
import { who } from '../session.ts'
import { words } from '../text/keys/words.ts'
import { words as common } from '../text/shell/words.ts'
import { KeyActs } from './key-acts.tsx'
import { Made } from './made.tsx'
import { MakeForm } from './make-form.tsx'

/** Which keys there are, how each stands, and how one is made, rolled and revoked: here, and by a command. */
export function KeysPage() {
  const { view, lost, isNewer, isStale, again, show } = useReading<ConsoleKeys>('keys')
  const [made, setMade] = useState<MadeKey | null>(null)
  const doing = useAct(words.refusals)
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.title} />
  const mayMake = mayAs(who.value?.person.role ?? 'viewer', 'admin')
  const { key, state, used, acts, made: madeAt } = words.columns
  return (
    <Page title={words.title} name={words.title}>
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      <p class="lead">{words.about}</p>
      {made !== null && <Made made={made} onDone={() => setMade(null)} />}
      <Alert words={doing.failure} />
      {view.keys.length === 0 ? (
        <Empty text={words.none} />
      ) : (
        <RowList label={words.list} columns={[key, state, used, mayMake ? acts : madeAt]}>
          {view.keys.map((each) => (
            <KeyRow
              key={each.label}
              listed={each}
              acts={mayMake && each.works && <KeyActs label={each.label} doing={doing} onMade={setMade} />}
            />
          ))}
        </RowList>
      )}
      {mayMake && <MakeForm onMade={setMade} />}
      <HowTo title={words.byCommand} text={words.makeWords} line={LINES.makeKey(who.value?.account.id ?? '')} />
      <HowTo title={words.revokeByCommand} text={words.revokeWords} line={LINES.revokeKey()} />
    </Page>
  )
}

function KeyRow({ listed, acts }: { listed: ConsoleKeys['keys'][number]; acts: ComponentChild }) {
  const { label, kind, role, created_at, last_used_at, revoked_at, works } = listed
  return (
    <Row
      cells={[
        <>
          <span class="mono">{label}…</span>
          <span class="cell-note">
            {words.kinds[kind]}
            {words.roles[role]}
          </span>
        </>,
        <span key="state" class="cell-states">
          <Badge tone={works ? (revoked_at === null ? 'good' : 'warn') : 'calm'}>
            {works ? words.works : words.revoked}
          </Badge>
          {revoked_at !== null && (
            <span class="hint">
              {works ? words.worksUntil : words.revokedAt} <Time at={revoked_at} />
            </span>
          )}
        </span>,
        last_used_at === null ? (
          words.never
        ) : (
          <span key="used">
            {words.usedAt} <Time at={last_used_at} />
          </span>
        ),
        acts || (
          <span key="made">
            {words.madeAt} <Time at={created_at} />
          </span>
        ),
      ]}
    />
  )
}

function HowTo({ title, text, line }: { title: string; text: string; line: string }) {
  return (
    <Panel title={title}>
      <div class="panel-body">
        <p>{text}</p>
        <CodeLine line={line} label={title} />
      </div>
    </Panel>
  )
}
