import type { SignedIn, VisitOptions } from '@mintmark/contract/wire/owner'
import type { RecoveryStanding } from '@mintmark/contract/wire/recovery'
import { post } from '@mintmark/ui/backend.ts'
import { makePasskey } from '@mintmark/ui/passkey.ts'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { arrived, attempt, busy, failure, go } from '../arriving/state.ts'
import { TypedField, wrong } from '../arriving/typed-field.tsx'
import { words as text } from '../text/recovery/words.ts'
import { text as common } from '../text/words.ts'
import { Alert, Button, KeyIcon, Loading, Sheet } from '../ui.tsx'
import { moment, refresh, remember, standing, word } from './going.ts'

/** An owner who has lost all passkeys, from the card to the new passkey. What comes before is in `sign-up.tsx`. */

const chosen = signal('')
const cvv = signal('')
const code = signal('')
const problem = signal<string | undefined>(undefined)
/** The security code is typed once more, for another code of the bank. */
const isAgain = signal(false)
const isStopping = signal(false)

const POLL_MILLIS = 15_000

export function Recovery({ begin }: { begin: () => void }) {
  const seen = standing.value
  useEffect(() => {
    const ask = () => void attempt(refresh)
    if (seen === undefined) ask()
    const timer = setInterval(() => seen?.status === 'waiting' && ask(), POLL_MILLIS)
    return () => clearInterval(timer)
  }, [seen?.status])
  if (seen === undefined)
    return failure.value === '' ? (
      <Loading />
    ) : (
      <Ended title={common.offlineTitle} words={failure.value} begin={begin} />
    )
  if (seen === null) return <Ended title={text.overTitle} words={text.overWords} begin={begin} />
  if (seen.status === 'stopped') return <Ended title={text.stoppedTitle} words={text.stoppedWords} begin={begin} />
  if (seen.status === 'made') return <Ended title={text.overTitle} words={text.overWords} begin={begin} />
  if (seen.status === 'waiting') return <Waits seen={seen} />
  if (seen.status === 'ready') return <Ready seen={seen} />
  return seen.status === 'code' && !isAgain.value ? <Code /> : <Card seen={seen} />
}

async function proveCard(cards: RecoveryStanding['cards']): Promise<void> {
  const digits = cvv.value.trim()
  if (!/^\d{3,4}$/.test(digits)) return wrong(problem, 'cvv', text.cvvWrong)
  const card_id = chosen.value === '' ? cards[0]?.card_id : chosen.value
  await attempt(async () => {
    await post('recovery/card', { recovery: word.value, card_id, cvv: digits })
    cvv.value = ''
    isAgain.value = false
    await refresh()
  }, text.refusals)
}

async function proveCode(): Promise<void> {
  const typed = code.value.trim()
  if (typed === '') return wrong(problem, 'bank-code', text.codeNeeded)
  await attempt(async () => {
    await post('recovery/code', { recovery: word.value, code: typed })
    code.value = ''
    await refresh()
  }, text.refusals)
}

const stop = () =>
  attempt(async () => {
    await post('recovery/stop', { recovery: word.value })
    isStopping.value = false
    await refresh()
  }, text.refusals)

const register = () =>
  attempt(async () => {
    const { options } = await post<Pick<VisitOptions, 'options'>>('recovery/options', { recovery: word.value })
    const response = await makePasskey(options)
    const session = await post<SignedIn>('recovery/passkey', { recovery: word.value, response })
    remember(null)
    arrived(session)
  }, text.refusals)

const nameOf = ({ brand, last4 }: RecoveryStanding['cards'][number]) =>
  text.card(brand === null ? text.someCard : brand.slice(0, 1).toUpperCase() + brand.slice(1), last4)

function Card({ seen: { cards } }: { seen: RecoveryStanding }) {
  const [only] = cards
  return (
    <Sheet title={text.cardTitle}>
      <p class="lead">{text.cardWords}</p>
      {cards.length > 1 ? (
        <div class="field">
          <label for="which">{text.which}</label>
          <select
            id="which"
            value={chosen.value === '' ? only?.card_id : chosen.value}
            onChange={(event) => (chosen.value = event.currentTarget.value)}
          >
            {cards.map((card) => (
              <option key={card.card_id} value={card.card_id}>
                {nameOf(card)}
              </option>
            ))}
          </select>
        </div>
      ) : (
        only !== undefined && <p class="strong">{nameOf(only)}</p>
      )}
      <TypedField
        id="cvv"
        value={cvv}
        problem={problem}
        label={text.cvv}
        hint={text.cvvHint}
        input={{ class: 'code', inputMode: 'numeric', autoComplete: 'cc-csc', maxLength: 4 }}
        send={() => void proveCard(cards)}
      >
        <Button submit busy={busy.value}>
          {text.proveCard}
        </Button>
        <Back />
      </TypedField>
    </Sheet>
  )
}

function Code() {
  return (
    <Sheet title={text.codeTitle}>
      <p class="lead">{text.codeWords}</p>
      <TypedField
        id="bank-code"
        value={code}
        problem={problem}
        label={text.code}
        hint={text.codeHint}
        input={{ class: 'code', inputMode: 'numeric', autoComplete: 'one-time-code', maxLength: 12 }}
        send={() => void proveCode()}
      >
        <Button submit busy={busy.value}>
          {text.proveCode}
        </Button>
        <Button kind="secondary" onPress={again}>
          {text.again}
        </Button>
      </TypedField>
    </Sheet>
  )
}

function again(): void {
  isAgain.value = true
  problem.value = undefined
  failure.value = ''
}

function Waits({ seen: { due_at } }: { seen: RecoveryStanding }) {
  return (
    <Sheet title={text.waitsTitle}>
      <p class="lead">{text.waitsWords(moment(due_at ?? ''))}</p>
      <p class="note">{text.waitsLeave}</p>
      <Alert words={failure.value} />
      {isStopping.value ? (
        <div class="confirm">
          <p id="stop-words">{text.stopWords}</p>
          <div class="pair">
            <Button kind="secondary" onPress={() => ask(false)}>
              {text.keep}
            </Button>
            <Button kind="danger" busy={busy.value} describedBy="stop-words" onPress={() => void stop()}>
              {text.stopNow}
            </Button>
          </div>
        </div>
      ) : (
        <div class="actions">
          <Button kind="secondary" onPress={() => ask(true)}>
            {text.stop}
          </Button>
          <Back />
        </div>
      )}
    </Sheet>
  )
}

function ask(whether: boolean): void {
  isStopping.value = whether
  failure.value = ''
}

function Ready({ seen: { ends_at } }: { seen: RecoveryStanding }) {
  return (
    <Sheet title={text.readyTitle}>
      <p class="lead">{text.readyWords(moment(ends_at))}</p>
      <p class="note">{text.readyFoot}</p>
      <Alert words={failure.value} />
      <div class="actions">
        <Button busy={busy.value} onPress={() => void register()}>
          <KeyIcon /> {text.makePasskey}
        </Button>
        <Back />
      </div>
      <p class="foot">{common.confirms}</p>
    </Sheet>
  )
}

function Ended({ title, words, begin }: { title: string; words: string; begin: () => void }) {
  return (
    <Sheet title={title}>
      <p class="lead">{words}</p>
      <div class="actions">
        <Button
          onPress={() => {
            remember(null)
            begin()
          }}
        >
          {text.begin}
        </Button>
        <Back />
      </div>
    </Sheet>
  )
}

function Back() {
  return (
    <Button kind="secondary" onPress={() => go('back')}>
      {text.back}
    </Button>
  )
}
