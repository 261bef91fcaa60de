import { API_KEY_KINDS, type ApiKeyKind } from '@mintmark/contract/accounts'
import type { MadeKey } from '@mintmark/contract/wire/console-keys'
import { post } from '@mintmark/ui/backend.ts'
import { Button } from '@mintmark/ui/button.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { useState } from 'preact/hooks'
import { useAct } from '../people/act.ts'
import { confirmed } from '../people/confirm.ts'
import { words } from '../text/keys/words.ts'

/** One more key; the passkey says yes to its kind. */
export function MakeForm({ onMade }: { onMade: (made: MadeKey) => void }) {
  const [kind, setKind] = useState<ApiKeyKind>('secret')
  const { isBusy, failure, act } = useAct(words.refusals)
  async function make(): Promise<void> {
    const asked = { kind, role: 'merchant' } as const
    const answer = await confirmed({ act: 'make_key', ...asked })
    onMade(await post<MadeKey>('keys/make', { ...asked, answer }))
  }
  return (
    <Panel title={words.make}>
      <form
        class="panel-body people-form"
        onSubmit={(event) => {
          event.preventDefault()
          void act(make)
        }}
      >
        <p>{words.makeHere}</p>
        <div class="field">
          <label class="label" for="key-kind">
            {words.kind}
          </label>
          <select
            id="key-kind"
            class="input"
            value={kind}
            onChange={(event) => setKind(API_KEY_KINDS.find((one) => one === event.currentTarget.value) ?? 'secret')}
          >
            {API_KEY_KINDS.map((one) => (
              <option key={one} value={one}>
                {words.kinds[one]}
              </option>
            ))}
          </select>
        </div>
        <Alert words={failure} />
        <Button submit busy={isBusy}>
          {words.makeNow}
        </Button>
      </form>
    </Panel>
  )
}
