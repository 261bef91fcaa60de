import { CONSOLE_ROLES, type ConsoleRole, mayAs } from '@mintmark/contract/console'
import type { ConsoleTeam } from '@mintmark/contract/wire/console-people'
import { post } from '@mintmark/ui/backend.ts'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { LINES } from '../curl.ts'
import { CodeLine } from '../parts/copy.tsx'
import { Bones, LostPage, Page, Tidings } from '../parts/page.tsx'
import { Row, RowList } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { useReading } from '../reading.ts'
import { findOut, who } from '../session.ts'
import { words } from '../text/people/words.ts'
import { words as common } from '../text/shell/words.ts'
import { useAct } from './act.ts'
import { confirmed } from './confirm.ts'
import { InviteForm } from './invite-form.tsx'
import { Twice } from './twice.tsx'

type Person = ConsoleTeam['people'][number]
type Invitation = ConsoleTeam['invitations'][number]

/** The people of the account, those who are invited, and how another one comes in. */
export function TeamPage() {
  const { view, lost, isNewer, isStale, again, show } = useReading<ConsoleTeam>('team')
  const doing = useAct(words.refusals)
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.teamTitle} />
  const role = who.value?.person.role ?? 'viewer'
  const { person, role: roleColumn, since, acts } = words.columns
  return (
    <Page title={words.teamTitle} name={words.teamTitle} acts={<a href="/acts">{words.toActs}</a>}>
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      <Alert words={doing.failure} />
      <RowList label={words.people} columns={[person, roleColumn, since, acts]}>
        {view.people.map((one) => (
          <PersonRow key={one.person_id} person={one} isOwner={role === 'owner'} doing={doing} />
        ))}
      </RowList>
      {view.invitations.length > 0 && (
        <>
          <h2 class="section-title">{words.waiting}</h2>
          <RowList label={words.waiting} columns={[words.columns.address, roleColumn, words.columns.until, acts]}>
            {view.invitations.map((one) => (
              <InvitationRow key={one.invitation_id} invitation={one} doing={doing} />
            ))}
          </RowList>
        </>
      )}
      {mayAs(role, 'admin') ? (
        <InviteForm role={role} />
      ) : (
        <Panel title={words.invite}>
          <div class="panel-body">
            <p>{words.inviteNot}</p>
          </div>
        </Panel>
      )}
      {role === 'owner' && (
        <Panel title={words.operator}>
          <div class="panel-body">
            <p>{words.operatorWords}</p>
            <CodeLine line={LINES.invite(who.value?.account.id ?? '')} label={words.operator} />
          </div>
        </Panel>
      )}
    </Page>
  )
}

type Doing = ReturnType<typeof useAct>

function PersonRow({ person, isOwner, doing }: { person: Person; isOwner: boolean; doing: Doing }) {
  const { person_id: id, name, email, role, since, current } = person
  async function change(next: ConsoleRole): Promise<void> {
    const widens = !mayAs(role, next)
    const answer = widens ? await confirmed({ act: 'change_role', person_id: id, role: next }) : null
    await post(`team/people/${encodeURIComponent(id)}/role`, { role: next, answer })
    if (current) await findOut()
  }
  return (
    <Row
      cells={[
        <>
          <bdi class="strong">{name}</bdi>
          {email !== null && <span class="cell-note">{email}</span>}
        </>,
        isOwner ? (
          <RoleSelect
            key="role"
            label={words.roleOf(name)}
            role={role}
            onChange={(next) => void doing.act(() => change(next), words.roleChanged)}
          />
        ) : (
          <Badge key="role">{common.roles[role]}</Badge>
        ),
        <Time key="since" at={since} />,
        isOwner ? (
          <Twice
            key="remove"
            label={current ? words.leave : words.remove}
            name={current ? words.leave : words.removeNamed(name)}
            question={current ? words.leaveAsk : words.removeAsk(name)}
            isBusy={doing.isBusy}
            onPress={() =>
              void doing.act(async () => {
                await post(`team/people/${encodeURIComponent(id)}/remove`)
                if (current) await findOut()
              }, words.removed)
            }
          />
        ) : (
          <span key="you">{current ? words.you : ''}</span>
        ),
      ]}
    />
  )
}

/** What is chosen is asked for at once; it shows the role that there is until then. */
function RoleSelect({
  label,
  role,
  onChange,
}: {
  label: string
  role: ConsoleRole
  onChange: (next: ConsoleRole) => void
}) {
  return (
    <select
      class="input role-select"
      aria-label={label}
      value={role}
      onChange={(event) => {
        const next = CONSOLE_ROLES.find((one) => one === event.currentTarget.value)
        event.currentTarget.value = role
        if (next !== undefined && next !== role) onChange(next)
      }}
    >
      {CONSOLE_ROLES.map((one) => (
        <option key={one} value={one}>
          {common.roles[one]}
        </option>
      ))}
    </select>
  )
}

function InvitationRow({ invitation, doing }: { invitation: Invitation; doing: Doing }) {
  const { invitation_id: id, email, role, inviter, expires_at, over } = invitation
  return (
    <Row
      cells={[
        <>
          <span class="strong">{email}</span>
          <span class="cell-note">{words.invitedBy(inviter)}</span>
        </>,
        <Badge key="role">{common.roles[role]}</Badge>,
        over ? (
          <Badge key="over" tone="warn">
            {words.invitationOver}
          </Badge>
        ) : (
          <Time key="until" at={expires_at} />
        ),
        <Twice
          key="withdraw"
          label={words.withdraw}
          name={words.withdrawNamed(email)}
          question={words.withdrawAsk}
          isBusy={doing.isBusy}
          onPress={() =>
            void doing.act(() => post(`team/invitations/${encodeURIComponent(id)}/withdraw`), words.withdrawn)
          }
        />,
      ]}
    />
  )
}
