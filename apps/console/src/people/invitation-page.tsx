import type { ConsoleSignedIn } from '@mintmark/contract/wire/console'
import type { ConsoleVisit, InvitationView, InvitationVisit } from '@mintmark/contract/wire/console-people'
import { post, Refusal } from '@mintmark/ui/backend.ts'
import { Button } from '@mintmark/ui/button.tsx'
import { Field } from '@mintmark/ui/field.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { makePasskey } from '@mintmark/ui/passkey.ts'
import { useEffect, useState } from 'preact/hooks'
import { Bones, LostPage, Page } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { address, go } from '../router.ts'
import { arrived, findOut, type Lost, lossOf, signInByPasskey, who } from '../session.ts'
import { words } from '../text/people/words.ts'
import { words as common } from '../text/shell/words.ts'
import { useAct } from './act.ts'

/** What the mail has named, which no server was sent by opening it. */
const linkOf = () => address.value.hash.slice(1)

/** Where a mailed invitation leads: what it is to, the code of the address, and a passkey. */
export function InvitationPage() {
  const [view, setView] = useState<InvitationView | null>()
  const [lost, setLost] = useState<Lost | undefined>()
  const link = linkOf()
  async function read(): Promise<void> {
    setLost(undefined)
    try {
      setView(await post<InvitationView>('invitation', { link }))
    } catch (error) {
      if (error instanceof Refusal && error.status === 400) setView(null)
      else setLost(lossOf(error))
    }
  }
  useEffect(() => void read(), [link])
  if (lost !== undefined) return <LostPage lost={lost} again={() => void read()} />
  if (view === undefined) return <Bones title={words.invitation} />
  if (view === null) {
    return (
      <div class="entrance">
        <Page title={words.overTitle} name={words.overTitle}>
          <p class="lead">{words.overWords}</p>
          <a href="/">{words.toConsole}</a>
        </Page>
      </div>
    )
  }
  return (
    <div class="entrance">
      <Page title={words.invitedTo(view.account.name)} name={words.invitation}>
        <p class="lead">{words.invitedAs(view.inviter, common.roles[view.role])}</p>
        <p class="hint">
          {view.email} · {words.opensUntil} <Time at={view.expires_at} />
        </p>
        {view.known ? <Join link={link} email={view.email} /> : <Accept link={link} email={view.email} />}
      </Page>
    </div>
  )
}

/** Whoever has a passkey here takes the invitation with it. */
function Join({ link, email }: { link: string; email: string }) {
  const { isBusy, failure, act } = useAct(words.joinRefusals)
  async function join(): Promise<void> {
    if (!who.value) await signInByPasskey()
    await post('invitation/join', { link })
    await findOut()
    go('/', true)
  }
  return (
    <>
      <p>{words.knownWords(email)}</p>
      <Alert words={failure} />
      <Button busy={isBusy} onPress={() => void act(join)}>
        {who.value ? words.join : words.signInAndJoin}
      </Button>
    </>
  )
}

function Accept({ link, email }: { link: string; email: string }) {
  const [visit, setVisit] = useState<string>()
  const [isProven, setProven] = useState(false)
  const { isBusy, failure, act } = useAct(words.codeRefusals)
  const ask = () =>
    act(async () => setVisit((await post<InvitationVisit>('invitation/code', { link })).visit), words.codeSaid)
  if (isProven && visit !== undefined) return <NewPerson link={link} visit={visit} />
  if (visit !== undefined)
    return <Code visit={visit} email={email} again={() => void ask()} proven={() => setProven(true)} />
  return (
    <>
      <p>{words.codeFirst}</p>
      <Alert words={failure} />
      <Button busy={isBusy} onPress={() => void ask()}>
        {words.mailCode}
      </Button>
    </>
  )
}

function Code({ visit, email, again, proven }: CodeProps) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const { isBusy, failure, act } = useAct(words.codeRefusals)
  async function send(): Promise<void> {
    const digits = code.replace(/\s/g, '')
    if (!/^\d{6}$/.test(digits)) {
      setProblem(words.codeDigits)
      document.getElementById('code')?.focus()
    } else if (await act(() => post('invitation/prove', { visit, code: digits }))) proven()
  }
  return (
    <form
      noValidate
      class="people-form"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <p>{words.codeMailed(email)}</p>
      <Field
        id="code"
        label={words.code}
        problem={problem}
        input={{
          ...{ inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 12, value: code },
          onInput: (event) => {
            setCode(event.currentTarget.value)
            setProblem(null)
          },
        }}
      />
      <Alert words={failure} />
      <Button submit busy={isBusy}>
        {words.confirmCode}
      </Button>
      <Button kind="secondary" onPress={again}>
        {words.codeAgain}
      </Button>
    </form>
  )
}

interface CodeProps {
  visit: string
  email: string
  again: () => void
  proven: () => void
}

function NewPerson({ link, visit }: { link: string; visit: string }) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const { isBusy, failure, act } = useAct(words.passkeyRefusals)
  async function accept(given: string): Promise<void> {
    const asked = { link, visit, name: given }
    const { options } = await post<ConsoleVisit>('invitation/options', asked)
    arrived(await post<ConsoleSignedIn>('invitation/accept', { ...asked, response: await makePasskey(options) }))
    go('/', true)
  }
  async function send(): Promise<void> {
    const given = name.trim()
    if (given === '') {
      setProblem(words.nameNeeded)
      document.getElementById('name')?.focus()
    } else await act(() => accept(given))
  }
  return (
    <form
      noValidate
      class="people-form"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <p>{words.passkeyFirst}</p>
      <Field
        id="name"
        label={words.yourName}
        hint={words.yourNameHint}
        problem={problem}
        input={{
          ...{ autoComplete: 'name', maxLength: 64, value: name },
          onInput: (event) => {
            setName(event.currentTarget.value)
            setProblem(null)
          },
        }}
      />
      <Alert words={failure} />
      <Button submit busy={isBusy}>
        {words.makePasskey}
      </Button>
    </form>
  )
}
