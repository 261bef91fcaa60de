import type { HomeView } from '@mintmark/contract/wire/owner'
import { post } from '@mintmark/ui/backend.ts'
import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren, ComponentProps } from 'preact'
import { dayOf } from './money.ts'
import { wordsFor } from './session.tsx'
import { words as me } from './text/me/words.ts'
import { text } from './text/words.ts'
import { Alert, Button, Field, said } from './ui.tsx'

type Mail = NonNullable<HomeView['mail']>

const address = signal('')
const code = signal('')
const problem = signal<string | undefined>(undefined)
const failure = signal('')
const busy = signal<string | undefined>(undefined)

interface MailProps {
  mail: Mail
  /** Reads the page again: how it stands is the service's word. */
  read: () => Promise<void>
}

/** Where an owner is told of what agents ask, proven by a code. */
export function MailSection({ mail, read }: MailProps) {
  return (
    <section id="mail">
      <h2>{text.mailTitle}</h2>
      {mail.status === 'none' && <NoAddress read={read} />}
      {mail.status === 'asked' && <Code mail={mail} read={read} />}
      {mail.status === 'over' && <Over mail={mail} read={read} />}
      {mail.status === 'confirmed' && <Confirmed mail={mail} read={read} />}
      <Former mail={mail} />
    </section>
  )
}

function NoAddress({ read }: Pick<MailProps, 'read'>) {
  return (
    <Asking
      field="address"
      value={address}
      send={() => {
        const email = address.value.trim()
        if (!/^\S+@\S+$/.test(email)) return wrong('address', text.addressWrong)
        void act('ask', read, () => post('mail', { email }), text.codeMailed)
      }}
      words={text.mailNone}
      label={text.address}
      input={{ type: 'email', autoComplete: 'email', maxLength: 254 }}
    >
      <Button kind="secondary" submit busy={busy.value === 'ask'}>
        {text.mailCode}
      </Button>
    </Asking>
  )
}

function Code({ mail, read }: MailProps) {
  return (
    <Asking
      field="code"
      value={code}
      send={() => {
        const digits = code.value.replace(/\s/g, '')
        if (!/^\d{6}$/.test(digits)) return wrong('code', text.codeDigits)
        void act('confirm', read, () => post('mail/confirm', { code: digits }), text.mailConfirmed)
      }}
      words={
        <>
          {text.codeSent} <bdi class="strong">{mail.address}</bdi>.
        </>
      }
      label={text.code}
      hint={text.codeHint}
      input={{ class: 'code', inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 7 }}
    >
      <div class="pair">
        <Button submit kind="secondary" busy={busy.value === 'confirm'}>
          {text.confirmCode}
        </Button>
        <Other read={read} />
      </div>
    </Asking>
  )
}

interface AskingProps {
  field: 'address' | 'code'
  value: Signal<string>
  send: () => void
  words: ComponentChildren
  label: string
  hint?: string
  input: ComponentProps<'input'>
  /** The buttons. */
  children: ComponentChildren
}

/** One thing that is typed and sent. */
function Asking({ field, value, send, words, label, hint, input, children }: AskingProps) {
  return (
    <form
      noValidate
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <p class="note">{words}</p>
      <Field id={field} label={label} hint={hint} problem={problem.value}>
        <input
          {...input}
          id={field}
          value={value.value}
          aria-invalid={problem.value !== undefined}
          aria-describedby={`${field}-note`}
          onInput={(event) => typed(value, event.currentTarget.value)}
        />
      </Field>
      <Alert words={failure.value} />
      {children}
    </form>
  )
}

function Over({ mail, read }: MailProps) {
  const email = mail.address ?? ''
  return (
    <div class="stack">
      <p class="note">
        {text.codeOver} <bdi class="strong">{email}</bdi>.
      </p>
      <Alert words={failure.value} />
      <div class="pair">
        <Button
          kind="secondary"
          busy={busy.value === 'ask'}
          onPress={() => void act('ask', read, () => post('mail', { email }), text.codeMailed)}
        >
          {text.anotherCode}
        </Button>
        <Other read={read} />
      </div>
    </div>
  )
}

function Other({ read }: Pick<MailProps, 'read'>) {
  return (
    <Button
      kind="secondary"
      busy={busy.value === 'stop'}
      onPress={() => void act('stop', read, () => post('mail/stop'))}
    >
      {text.otherAddress}
    </Button>
  )
}

function Confirmed({ mail, read }: MailProps) {
  return (
    <div class="stack">
      <p class="mail-on">
        <span>
          {text.mailedTo} <bdi class="strong">{mail.address}</bdi>
        </span>
        <Button
          kind="quiet"
          label={text.stopMails}
          busy={busy.value === 'stop'}
          onPress={() => void act('stop', read, () => post('mail/stop'), text.mailStopped)}
        >
          {text.stop}
        </Button>
      </p>
      <p class="note">{text.mailKept}</p>
      <Alert words={failure.value} />
    </div>
  )
}

/** The addresses before, which are told of a new passkey: who has changed them was perhaps another person. */
function Former({ mail: { former } }: Pick<MailProps, 'mail'>) {
  if (former.length === 0) return null
  return (
    <div class="stack former">
      {former.map(({ address: email, told_until }) => (
        <p class="note" key={email}>
          <bdi class="strong">{email}</bdi> {text.formerWas(dayOf(told_until))}
        </p>
      ))}
      <p class="note">
        {text.formerNotMe} <a href="/me">{me.toSessions}</a>
      </p>
    </div>
  )
}

function typed(field: typeof address, value: string): void {
  field.value = value
  problem.value = undefined
  failure.value = ''
}

function wrong(field: string, words: string): void {
  problem.value = words
  document.getElementById(field)?.focus()
}

async function act(what: string, read: () => Promise<void>, work: () => Promise<unknown>, then = ''): Promise<void> {
  if (busy.value !== undefined) return
  busy.value = what
  failure.value = ''
  problem.value = undefined
  try {
    await work()
    code.value = ''
    said.value = then
  } catch (error) {
    failure.value = wordsFor(error, text.mailRefusals)
  } finally {
    busy.value = undefined
    await read()
  }
}
