import type { Permission, PermissionsView } from '@mintmark/contract/wire/permissions'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Button } from '@mintmark/ui/button.tsx'
import { Gauge } from '@mintmark/ui/gauge.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { Foot, Head, Sheet } from '@mintmark/ui/sheet.tsx'
import { Words } from '../src/draw.tsx'
import { dateText, formOf, numberText } from '../src/locale.ts'
import { hostText, minorOf, moneyPiece, moneyText } from '../src/money-text.ts'
import { filled, filledText, foreign, type Phrase } from '../src/phrase.ts'
import { webAddress } from '../src/web-address.ts'
import { words } from './here.ts'

export type Trouble = keyof typeof words.troubles

/** What stands on the page. */
export interface State {
  /** Null: no cardholder has signed in. */
  view: PermissionsView | null
  trouble: Trouble | null
  /** What is under way: signing in, or a permission's id. */
  busy: string | null
  /** The permission whose end is asked for once more. */
  asking: string | null
  /** What was just done, for who sees it and who hears it. */
  said: string
}

export interface Acts {
  signIn(): void
  pause(id: string): void
  goOn(id: string): void
  ask(id: string | null): void
  end(id: string): void
}

interface PageProps {
  state: State
  acts: Acts
}

export const SIGNING_IN = 'sign-in'

export function Page({ state, acts }: PageProps) {
  const { view, trouble, said } = state
  return (
    <Sheet isPage label={words.title}>
      <Head>
        <h1 class="heading" tabIndex={-1}>
          {words.title}
        </h1>
        {view?.environment === 'sandbox' && <Badge tone="warn">{words.sandbox}</Badge>}
      </Head>
      <Alert words={trouble && words.troubles[trouble]} />
      {view === null ? <Welcome state={state} acts={acts} /> : <Given view={view} state={state} acts={acts} />}
      <p class="said" role="status">
        {said}
      </p>
      {view !== null && <Keeper view={view} />}
    </Sheet>
  )
}

function Welcome({ state: { busy, trouble }, acts }: PageProps) {
  if (trouble === 'nowhere' || trouble === 'unusable') return null
  return (
    <>
      <p class="lead">{words.start}</p>
      <p class="lead">{words.how}</p>
      <div class="act">
        <Button busy={busy !== null} onPress={acts.signIn}>
          {words.signIn}
        </Button>
      </div>
    </>
  )
}

interface GivenProps extends PageProps {
  view: PermissionsView
}

/** Those that hold stand open; those that have ended are for who looks for them. */
function Given({ view, ...page }: GivenProps) {
  const { permissions, merchant, more } = view
  const isLive = ({ status }: Permission) => status === 'active' || status === 'paused'
  const ended = permissions.filter((permission) => !isLive(permission))
  const merchantName = foreign(merchant.name)
  return (
    <>
      {permissions.length === ended.length && (
        <p class="lead">
          <Words phrase={filled(words.none, { merchant: merchantName })} />
        </p>
      )}
      {permissions.filter(isLive).map((permission) => (
        <Live key={permission.mandate_id} permission={permission} {...page} />
      ))}
      {ended.length > 0 && (
        <details class="ended">
          <summary>{filledText(formOf(words.endedOnes, ended.length), { count: numberText(ended.length) })}</summary>
          {ended.map((permission) => (
            <Ended key={permission.mandate_id} permission={permission} />
          ))}
        </details>
      )}
      {more && <p class="hint">{words.more}</p>}
    </>
  )
}

interface OneProps {
  permission: Permission
}

function Live({ permission, state, acts }: OneProps & PageProps) {
  const { mandate_id: id, status } = permission
  return (
    <Panel title={<Words phrase={[foreign(permission.merchant_name)]} />} aside={<Standing permission={permission} />}>
      <div class="entry">
        <p class="limit">
          <Words phrase={limitOf(permission)} />
        </p>
        <p class="hint">
          <Words phrase={placeOf(permission)} /> · {filledText(words.until, { date: day(permission.valid_until) })}
        </p>
        <Used permission={permission} />
        {state.asking === id ? (
          <Asking permission={permission} state={state} acts={acts} />
        ) : (
          <div class="choices">
            {status === 'active' ? (
              <Press
                kind="secondary"
                word="pause"
                permission={permission}
                state={state}
                onPress={() => acts.pause(id)}
              />
            ) : (
              <Press kind="secondary" word="goOn" permission={permission} state={state} onPress={() => acts.goOn(id)} />
            )}
            <Press kind="danger" word="end" permission={permission} state={state} onPress={() => acts.ask(id)} />
          </div>
        )}
      </div>
    </Panel>
  )
}

interface PressProps extends OneProps {
  kind: 'secondary' | 'danger'
  word: 'pause' | 'goOn' | 'end'
  state: State
  onPress(): void
}

/** A person who hears it alone hears of which permission it is. */
function Press({ kind, word, permission, state, onPress }: PressProps) {
  const label = filledText(words[`${word}Of`], { name: permission.merchant_name })
  return (
    <Button kind={kind} busy={state.busy === permission.mandate_id} label={label} onPress={onPress}>
      {words[word]}
    </Button>
  )
}

/** An end is for good, so it is asked for twice. */
function Asking({ permission: { mandate_id: id }, state, acts }: OneProps & PageProps) {
  return (
    <fieldset class="asking">
      <legend tabIndex={-1}>{words.ask}</legend>
      <div class="choices">
        <Button kind="danger" busy={state.busy === id} onPress={() => acts.end(id)}>
          {words.endIt}
        </Button>
        <Button kind="secondary" onPress={() => acts.ask(null)}>
          {words.keep}
        </Button>
      </div>
    </fieldset>
  )
}

/** How much of the limit is used, as a picture; what has no window has no renewal. */
function Used({ permission }: OneProps) {
  const { amount, spent, remaining, currency, renews_at, charge_count: count } = permission
  const text = filledText(words.used, { spent: moneyText(spent, currency), amount: moneyText(amount, currency) })
  const left = { amount: moneyPiece(remaining, currency) }
  return (
    <Gauge
      label={words.limits[permission.recurring_frequency].replace('{amount}', moneyText(amount, currency))}
      cap={Number(minorOf(amount))}
      parts={[{ share: 'used', size: Number(minorOf(spent)) }]}
      text={text}
      words={
        <Words
          phrase={
            renews_at === null ? filled(words.leftNow, left) : filled(words.left, { ...left, date: day(renews_at) })
          }
        />
      }
      note={count > 0 && filledText(formOf(words.count, count), { count: numberText(count) })}
    />
  )
}

const TONES = {
  active: 'good',
  paused: 'warn',
  pending: 'calm',
  cancelled: 'calm',
  expired: 'calm',
  consumed: 'calm',
} as const

function Standing({ permission: { status } }: OneProps) {
  return <Badge tone={TONES[status]}>{words.states[status]}</Badge>
}

function Ended({ permission }: OneProps) {
  const { merchant_name, ended_at, valid_until } = permission
  return (
    <div class="entry">
      <p>
        <Words phrase={[foreign(merchant_name)]} /> <Standing permission={permission} />
      </p>
      <p class="hint">
        <Words phrase={limitOf(permission)} /> · {filledText(words.ended, { date: day(ended_at ?? valid_until) })}
      </p>
    </div>
  )
}

function limitOf({ amount, currency, recurring_frequency }: Permission): Phrase {
  return filled(words.limits[recurring_frequency], { amount: moneyPiece(amount, currency) })
}

function placeOf({ merchant_scope, merchant_url }: Permission): Phrase {
  if (merchant_scope === 'any') return words.where.any
  return filled(words.where.listed, { place: foreign(hostText(merchant_url)) })
}

const day = (moment: string) => dateText(new Date(moment))

function Keeper({ view: { operator, environment } }: { view: PermissionsView }) {
  const support = webAddress(operator.support_url)
  const trust = filled(words.keeper, { operator: foreign(operator.name) })
  return (
    <Foot
      trust={environment === 'sandbox' ? words.sandboxText : <Words phrase={trust} />}
      name={<Words phrase={[foreign(operator.name)]} />}
      links={support === null ? [] : [{ href: support, words: words.support }]}
    />
  )
}
