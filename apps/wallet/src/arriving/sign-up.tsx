import type { AddressProven, SignedIn, VisitBegun, VisitOptions } from '@mintmark/contract/wire/owner'
import { post, Refusal } from '@mintmark/ui/backend.ts'
import { makePasskey, usePasskey } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { time } from '../money.ts'
import { startRecovery } from '../recovery/going.ts'
import { words as text } from '../text/arriving/words.ts'
import { words as recovery } from '../text/recovery/words.ts'
import { text as common } from '../text/words.ts'
import { Alert, Button, KeyIcon, Sheet, said } from '../ui.tsx'
import { arrived, attempt, busy, failure, go, signIn } from './state.ts'
import { TypedField, wrong } from './typed-field.tsx'

/** The steps of a person who comes for the first time: their address, its code, then a passkey. */
type Step = 'address' | 'code' | 'over' | 'known' | 'passkey' | 'unknown' | 'noCard'
const step = signal<Step>('address')
/** They have lost all passkeys: the same steps lead to the recovery. */
const isLost = signal(false)
const visit = signal<VisitBegun>({ visit: '', code_ends_at: '' })
const address = signal('')
const code = signal('')
const name = signal('')
const problem = signal<string | undefined>(undefined)

const SCREENS = {
  address: Address,
  code: Code,
  over: Over,
  known: Known,
  passkey: Passkey,
  unknown: Unknown,
  noCard: NoCard,
}

export function SignUp() {
  const Screen = SCREENS[step.value]
  return <Screen />
}

export function startSignUp(): void {
  isLost.value = false
  start()
}

export function startLost(): void {
  isLost.value = true
  start()
}

function start(): void {
  code.value = ''
  to('address')
  go('first')
}

function to(next: Step): void {
  step.value = next
  problem.value = undefined
  failure.value = ''
}

async function mailCode(): Promise<void> {
  const email = address.value.trim()
  if (!/^\S+@\S+$/.test(email)) return wrong(problem, 'address', text.addressWrong)
  const ask = async () => {
    visit.value = await post<VisitBegun>('sign-up', { email })
  }
  if (!(await attempt(ask, text.addressRefusals))) return
  code.value = ''
  said.value = text.codeMailed
  to('code')
}

async function confirm(): Promise<void> {
  const digits = code.value.replace(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return wrong(problem, 'code', text.codeDigits)
  await attempt(async () => {
    try {
      const { known } = await post<AddressProven>('sign-up/confirm', { visit: visit.value.visit, code: digits })
      if (isLost.value && known) await recover()
      else to(known ? 'known' : isLost.value ? 'unknown' : 'passkey')
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'INVALID_STATE') throw error
      to('over')
    }
  }, text.codeRefusals)
}

/** The address is proven in this visit already. */
async function recover(): Promise<void> {
  if (await startRecovery(visit.value.visit)) go('lost')
  else to('noCard')
}

async function register(): Promise<void> {
  const given = name.value.trim()
  if (given === '') return wrong(problem, 'name', text.nameNeeded)
  await attempt(async () => {
    const asked = { visit: visit.value.visit, name: given }
    const { options } = await post<VisitOptions>('owners/options', asked)
    arrived(await post<SignedIn>('owners', { ...asked, response: await makePasskey(options) }))
  }, text.passkeyRefusals)
}

/** With the passkey that they have made at a shop's payment. */
async function registerOfShop(): Promise<void> {
  const given = name.value.trim()
  if (given === '') return wrong(problem, 'name', text.nameNeeded)
  await attempt(async () => {
    const { visit: id } = visit.value
    const { options } = await post<VisitOptions>('owners/shop-passkey/options', { visit: id })
    const answer = { visit: id, name: given, response: await usePasskey(options) }
    arrived(await post<SignedIn>('owners/shop-passkey', answer))
  }, text.shopRefusals)
}

function Address() {
  return (
    <Sheet title={isLost.value ? recovery.addressTitle : text.addressTitle}>
      <p class="lead">{isLost.value ? recovery.addressWords : text.addressWords}</p>
      <TypedField
        id="address"
        value={address}
        problem={problem}
        label={text.address}
        hint={text.addressHint}
        input={{ type: 'email', autoComplete: 'email', maxLength: 254 }}
        send={() => void mailCode()}
      >
        <Button submit busy={busy.value}>
          {text.mailCode}
        </Button>
        <Button kind="secondary" onPress={() => go('back')}>
          {isLost.value ? recovery.back : text.haveOne}
        </Button>
      </TypedField>
    </Sheet>
  )
}

function Code() {
  return (
    <Sheet title={text.codeTitle}>
      <p class="lead">
        {text.codeSent} <bdi class="strong">{address.value.trim()}</bdi>. {text.codeNewest}
      </p>
      <TypedField
        id="code"
        value={code}
        problem={problem}
        label={text.code}
        hint={text.codeUntil(time(visit.value.code_ends_at))}
        input={{ class: 'code', inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 7 }}
        send={() => void confirm()}
      >
        <Button submit busy={busy.value}>
          {text.confirmCode}
        </Button>
        <Button kind="secondary" onPress={() => to('address')}>
          {text.otherAddress}
        </Button>
      </TypedField>
    </Sheet>
  )
}

function Over() {
  return (
    <Sheet title={text.overTitle}>
      <p class="lead">
        {text.overWords} <bdi class="strong">{address.value.trim()}</bdi>.
      </p>
      <Alert words={failure.value} />
      <div class="actions">
        <Button busy={busy.value} onPress={() => void mailCode()}>
          {text.anotherCode}
        </Button>
        <Button kind="secondary" onPress={() => to('address')}>
          {text.otherAddress}
        </Button>
      </div>
    </Sheet>
  )
}

function Known() {
  return (
    <Sheet title={text.knownTitle}>
      <p class="lead">{text.knownWords}</p>
      <Alert words={failure.value} />
      <div class="actions">
        <Button busy={busy.value} onPress={() => void signIn()}>
          <KeyIcon /> {text.signIn}
        </Button>
        <Button kind="secondary" onPress={() => to('address')}>
          {text.otherAddress}
        </Button>
        <Button kind="quiet" onPress={() => void attempt(recover, recovery.refusals)}>
          {recovery.lost}
        </Button>
      </div>
      <p class="foot">{common.confirms}</p>
    </Sheet>
  )
}

function Unknown() {
  return <NoWay title={recovery.unknownTitle} words={recovery.unknownWords} />
}

function NoCard() {
  return <NoWay title={recovery.noCardTitle} words={recovery.noCardWords} />
}

function NoWay({ title, words }: { title: string; words: string }) {
  return (
    <Sheet title={title}>
      <p class="lead">{words}</p>
      <div class="actions">
        <Button onPress={() => to('address')}>{text.otherAddress}</Button>
        <Button kind="secondary" onPress={() => go('back')}>
          {recovery.back}
        </Button>
      </div>
    </Sheet>
  )
}

function Passkey() {
  return (
    <Sheet title={text.passkeyTitle}>
      <p class="lead">{text.passkeyWords}</p>
      <TypedField
        id="name"
        value={name}
        problem={problem}
        label={text.name}
        hint={text.nameHint}
        input={{ autoComplete: 'name', maxLength: 64 }}
        send={() => void register()}
      >
        <Button submit busy={busy.value}>
          <KeyIcon /> {text.createPasskey}
        </Button>
        <Button kind="secondary" busy={busy.value} describedBy="of-shop" onPress={() => void registerOfShop()}>
          {text.useShopPasskey}
        </Button>
        <p class="note" id="of-shop">
          {text.ofShop}
        </p>
        <Button kind="quiet" onPress={() => to('address')}>
          {text.otherAddress}
        </Button>
      </TypedField>
      <p class="foot">{common.confirms}</p>
    </Sheet>
  )
}
