import { moneyText } from '@mintmark/contract/sentence/format'
import type { ConsolePermission, ConsolePermissionView } from '@mintmark/contract/wire/console-permissions'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Gauge } from '@mintmark/ui/gauge.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { locale, timeText } from '../parts/time.tsx'
import { sandboxNow } from '../sandbox/clock.ts'
import { MoveButton, mayMove } from '../sandbox/move.tsx'
import { secondsPast } from '../sandbox/steps.ts'
import { who } from '../session.ts'
import { words } from '../text/permissions/words.ts'
import { words as sandbox } from '../text/sandbox/words.ts'
import { goesOn, standingOf, TONES } from './story.ts'

const sumOf = (amount: string, { currency }: ConsolePermission) => moneyText(amount, currency, { locale })

export const capOf = (permission: ConsolePermission) =>
  words.caps[permission.frequency](sumOf(permission.amount, permission))
export const shopOf = ({ merchant_scope, merchant }: ConsolePermission) =>
  merchant_scope === 'any' ? words.anywhere : merchant
export const leftOf = (permission: ConsolePermission) => words.leftNow(sumOf(permission.left, permission))

export function StateBadge({ permission }: { permission: ConsolePermission }) {
  return <Badge tone={TONES[standingOf(permission)]}>{words.states[permission.state]}</Badge>
}

/** What is spent, held and left of the cap, and when that changes. */
export function Window({ view: { permission, used, held } }: { view: ConsolePermissionView }) {
  const { amount, left, frequency } = permission
  const text = words.leftOf(sumOf(left, permission), capOf(permission))
  return (
    <Panel title={frequency === 'one_time' ? words.windowOfOne : words.window}>
      <div class="panel-body">
        <Gauge
          label={words.window}
          cap={Number(amount)}
          parts={[
            { share: 'used', size: Number(used), words: words.used(sumOf(used, permission)) },
            ...(Number(held) === 0
              ? []
              : [{ share: 'held' as const, size: Number(held), words: words.held(sumOf(held, permission)) }]),
          ]}
          text={text}
          words={text}
          note={turnOf(permission)}
        />
        <ToRenewal permission={permission} />
      </div>
    </Panel>
  )
}

/** What comes first: another window, or its end. */
function turnOf(permission: ConsolePermission): string {
  const { renews_at, valid_until, ended_at } = permission
  if (ended_at !== null) return words.ended(timeText(ended_at))
  if (renews_at !== null && renewsFirst(permission)) return words.renews(timeText(renews_at))
  if (valid_until === null) return ''
  if (permission.state === 'expired') return words.ended(timeText(valid_until))
  return renews_at === null ? words.ends(timeText(valid_until)) : words.endsFirst(timeText(valid_until))
}

/** In a sandbox one need not wait for it. */
function ToRenewal({ permission }: { permission: ConsolePermission }) {
  const { renews_at } = permission
  const isSandbox = who.value?.account.environment === 'sandbox'
  if (!isSandbox || !mayMove() || renews_at === null || !renewsFirst(permission)) return null
  return (
    <div class="to-renewal">
      <MoveButton seconds={() => secondsPast(renews_at, sandboxNow() ?? Date.now())}>{sandbox.toRenewal}</MoveButton>
      <span class="hint">{sandbox.toRenewalWords}</span>
    </div>
  )
}

const renewsFirst = (permission: ConsolePermission) => goesOn({ ...permission, max_charges: null })
