import type { ConsoleConfirmationOptions, ConsoleMe } from '@mintmark/contract/wire/console-people'
import { post } from '@mintmark/ui/backend.ts'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Button } from '@mintmark/ui/button.tsx'
import { Field } from '@mintmark/ui/field.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { makePasskey } from '@mintmark/ui/passkey.ts'
import { useState } from 'preact/hooks'
import { Bones, Empty, LostPage, Page, Tidings } from '../parts/page.tsx'
import { Row, RowList } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'
import { forgetAll, useReading } from '../reading.ts'
import { go } from '../router.ts'
import { findOut } from '../session.ts'
import { words } from '../text/people/words.ts'
import { words as common } from '../text/shell/words.ts'
import { useAct } from './act.ts'
import { confirmed } from './confirm.ts'
import { Twice } from './twice.tsx'

type Doing = ReturnType<typeof useAct>

/** A person's own: the accounts they look after, their passkeys, and where they are signed in. */
export function MePage() {
  const { view, lost, isNewer, isStale, again, show } = useReading<ConsoleMe>('me')
  const doing = useAct(words.refusals)
  if (lost !== undefined) return <LostPage lost={lost} again={again} />
  if (view === undefined) return <Bones title={words.meTitle} />
  return (
    <Page title={words.meTitle} name={words.meTitle} under={view.email && <span class="hint">{view.email}</span>}>
      <Tidings news={isNewer ? common.changed : ''} isStale={isStale} show={show} />
      <Alert words={doing.failure} />
      {view.accounts.length > 1 && <Accounts accounts={view.accounts} doing={doing} />}
      <h2 class="section-title">{words.passkeys}</h2>
      {view.passkeys.length === 0 ? (
        <Empty text={words.noPasskey} />
      ) : (
        <>
          <RowList
            label={words.passkeys}
            columns={[words.columns.passkey, words.columns.state, words.columns.made, words.columns.acts]}
          >
            {view.passkeys.map((passkey) => (
              <PasskeyRow
                key={passkey.passkey_id}
                passkey={passkey}
                isOnly={view.passkeys.length === 1}
                doing={doing}
              />
            ))}
          </RowList>
          <NewPasskey doing={doing} />
        </>
      )}
      <Sessions sessions={view.sessions} doing={doing} />
    </Page>
  )
}

function Accounts({ accounts, doing }: { accounts: ConsoleMe['accounts']; doing: Doing }) {
  async function open(id: string): Promise<void> {
    await post(`accounts/${encodeURIComponent(id)}/open`)
    forgetAll()
    await findOut()
    go('/')
  }
  return (
    <>
      <h2 class="section-title">{words.accounts}</h2>
      <RowList label={words.accounts} columns={[words.columns.account, words.columns.role, '', words.columns.acts]}>
        {accounts.map(({ account_id: id, name, role, current }) => (
          <Row
            key={id}
            cells={[
              <bdi key="name" class="strong">
                {name}
              </bdi>,
              <Badge key="role">{common.roles[role]}</Badge>,
              '',
              current ? (
                <span key="here">{words.here}</span>
              ) : (
                <Button
                  key="open"
                  kind="quiet"
                  label={words.openNamed(name)}
                  onPress={() => void doing.act(() => open(id))}
                >
                  {words.open}
                </Button>
              ),
            ]}
          />
        ))}
      </RowList>
    </>
  )
}

type Passkey = ConsoleMe['passkeys'][number]

function PasskeyRow({ passkey, isOnly, doing }: { passkey: Passkey; isOnly: boolean; doing: Doing }) {
  const { passkey_id: id, name, browser, system, made_at, last_used_at, current, blocked } = passkey
  const called = name ?? words.passkeyOf(browser, system)
  const path = `passkeys/${encodeURIComponent(id)}`
  return (
    <Row
      cells={[
        <>
          <bdi class="strong">{called}</bdi>
          <span class="cell-note">{words.device(browser, system)}</span>
        </>,
        <span key="state" class="cell-states">
          {current && <Badge tone="good">{words.thisOne}</Badge>}
          {blocked && <Badge tone="bad">{words.blocked}</Badge>}
          <span class="hint">
            {last_used_at === null ? (
              words.neverUsed
            ) : (
              <>
                {words.used} <Time at={last_used_at} />
              </>
            )}
          </span>
        </span>,
        <Time key="made" at={made_at} />,
        <span key="acts" class="row-acts">
          <Rename called={called} save={(given) => doing.act(() => post(`${path}/name`, { name: given }))} />
          {isOnly ? (
            <span class="hint">{words.lastOne}</span>
          ) : (
            <Twice
              label={words.end}
              name={words.endNamed(called)}
              question={current ? words.endThisAsk : words.endAsk}
              isBusy={doing.isBusy}
              onPress={() =>
                void doing.act(async () => {
                  await post(`${path}/end`)
                  if (current) await findOut()
                }, words.ended)
              }
            />
          )}
        </span>,
      ]}
    />
  )
}

function Rename({ called, save }: { called: string; save: (name: string) => Promise<boolean> }) {
  const [name, setName] = useState<string | null>(null)
  if (name === null) {
    return (
      <Button kind="quiet" label={words.renameNamed(called)} onPress={() => setName(called)}>
        {words.rename}
      </Button>
    )
  }
  return (
    <form
      noValidate
      class="people-form"
      onSubmit={(event) => {
        event.preventDefault()
        const given = name.trim()
        if (given !== '') void save(given).then(() => setName(null))
      }}
    >
      <Field
        id="passkey-rename"
        label={words.newName}
        input={{
          maxLength: 64,
          autoComplete: 'off',
          value: name,
          onInput: (event) => setName(event.currentTarget.value),
        }}
      />
      <span class="twice-acts">
        <Button kind="secondary" onPress={() => setName(null)}>
          {words.keep}
        </Button>
        <Button submit>{words.save}</Button>
      </span>
    </form>
  )
}

/** By one that the person has; the browser makes the other one. */
function NewPasskey({ doing }: { doing: Doing }) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  async function make(given: string): Promise<void> {
    const answer = await confirmed({ act: 'make_passkey' })
    const { options } = await post<ConsoleConfirmationOptions>('passkeys/options', { answer })
    if (options !== null) await post('passkeys', { name: given, response: await makePasskey(options) })
  }
  async function send(): Promise<void> {
    const given = name.trim()
    if (given === '') {
      setProblem(words.nameNeeded)
      document.getElementById('passkey-new')?.focus()
    } else if (await doing.act(() => make(given), words.passkeyMade)) setName('')
  }
  return (
    <Panel title={words.another}>
      <form
        noValidate
        class="panel-body people-form"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <p>{words.anotherWords}</p>
        <Field
          id="passkey-new"
          label={words.passkeyName}
          hint={words.passkeyNameHint}
          problem={problem}
          input={{
            ...{ maxLength: 64, autoComplete: 'off', value: name },
            onInput: (event) => {
              setName(event.currentTarget.value)
              setProblem(null)
            },
          }}
        />
        <Button submit busy={doing.isBusy}>
          {words.makeAnother}
        </Button>
      </form>
    </Panel>
  )
}

function Sessions({ sessions, doing }: { sessions: ConsoleMe['sessions']; doing: Doing }) {
  const { device, account, used, acts } = words.columns
  return (
    <>
      <h2 class="section-title">{words.sessions}</h2>
      <RowList label={words.sessions} columns={[device, account, used, acts]}>
        {sessions.map(({ session_id: id, browser, system, place, account: at, last_used_at, current }) => (
          <Row
            key={id}
            cells={[
              <>
                <span class="strong">{words.device(browser, system)}</span>
                <span class="cell-note">{place}</span>
              </>,
              <bdi key="account">{at}</bdi>,
              <Time key="used" at={last_used_at} />,
              current ? (
                <span key="this">{words.thisSession}</span>
              ) : (
                <Button
                  key="end"
                  kind="quiet"
                  label={words.signOutNamed(words.device(browser, system))}
                  onPress={() =>
                    void doing.act(() => post(`sessions/${encodeURIComponent(id)}/end`), words.signedOutOne)
                  }
                >
                  {common.signOut}
                </Button>
              ),
            ]}
          />
        ))}
      </RowList>
      <div class="empty-acts">
        <Button
          kind="secondary"
          busy={doing.isBusy}
          onPress={() =>
            void doing.act(async () => {
              await post('sessions/end-all')
              await findOut()
            })
          }
        >
          {words.signOutAll}
        </Button>
      </div>
    </>
  )
}
