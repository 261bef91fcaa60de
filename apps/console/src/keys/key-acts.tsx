import type { MadeKey } from '@mintmark/contract/wire/console-keys'
import { post } from '@mintmark/ui/backend.ts'
import { Button } from '@mintmark/ui/button.tsx'
import { useState } from 'preact/hooks'
import type { useAct } from '../people/act.ts'
import { confirmed } from '../people/confirm.ts'
import { Twice } from '../people/twice.tsx'
import { words } from '../text/keys/words.ts'
import { words as people } from '../text/people/words.ts'

const OVERLAPS = [0, 1, 24, 168] as const

/** What an admin does with a key that works: makes one in its place, while it works on, or ends it. */
export function KeyActs({ label, doing, onMade }: KeyActsProps) {
  const [isRolling, setRolling] = useState(false)
  const path = `keys/${encodeURIComponent(label)}`
  async function roll(hours: number): Promise<void> {
    const answer = await confirmed({ act: 'roll_key', key: label, hours })
    onMade(await post<MadeKey>(`${path}/roll`, { hours, answer }))
    setRolling(false)
  }
  return (
    <span class="row-acts">
      {isRolling ? (
        <RollForm
          isBusy={doing.isBusy}
          onKeep={() => setRolling(false)}
          onRoll={(hours) => void doing.act(() => roll(hours))}
        />
      ) : (
        <>
          <Button kind="quiet" label={words.rollNamed(label)} onPress={() => setRolling(true)}>
            {words.roll}
          </Button>
          <Twice
            label={words.revoke}
            name={words.revokeNamed(label)}
            question={words.revokeAsk}
            isBusy={doing.isBusy}
            onPress={() => void doing.act(() => post(`${path}/revoke`), words.wasRevoked)}
          />
        </>
      )}
    </span>
  )
}

interface KeyActsProps {
  label: string
  doing: ReturnType<typeof useAct>
  onMade: (made: MadeKey) => void
}

function RollForm({
  isBusy,
  onKeep,
  onRoll,
}: {
  isBusy: boolean
  onKeep: () => void
  onRoll: (hours: number) => void
}) {
  const [hours, setHours] = useState<number>(24)
  return (
    <form
      class="people-form"
      onSubmit={(event) => {
        event.preventDefault()
        onRoll(hours)
      }}
    >
      <div class="field">
        <label class="label" for="key-overlap">
          {words.overlap}
        </label>
        <select
          id="key-overlap"
          class="input"
          value={hours}
          onChange={(event) => setHours(Number(event.currentTarget.value))}
        >
          {OVERLAPS.map((one) => (
            <option key={one} value={one}>
              {words.overlaps[one]}
            </option>
          ))}
        </select>
      </div>
      <span class="twice-acts">
        <Button kind="secondary" onPress={onKeep}>
          {people.keep}
        </Button>
        <Button submit busy={isBusy}>
          {words.rollNow}
        </Button>
      </span>
    </form>
  )
}
