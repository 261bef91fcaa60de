import { Button } from '@mintmark/ui/button.tsx'
import { Alert } from '@mintmark/ui/notice.tsx'
import { useEffect, useState } from 'preact/hooks'
import { Bones, LostPage, Page } from './parts/page.tsx'
import { entrance, hasEnded, offline, readEntrance, signInByPasskey, signInToDemo, wordsFor } from './session.ts'
import { words } from './text/shell/words.ts'

const REFUSALS = { PASSKEY_FAILED: words.passkeyUnknown }

/** In front of every page; the address stays, and one comes to what one wanted to see. */
export function SignIn() {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => void readEntrance(), [])
  if (offline.value) return <LostPage lost="unreachable" again={() => void readEntrance()} />
  if (entrance.value === undefined) return <Bones title={words.signInTitle} />
  const { demo } = entrance.value
  async function press(comeIn: () => Promise<void>): Promise<void> {
    setBusy(true)
    setFailure(null)
    try {
      await comeIn()
    } catch (error) {
      setFailure(wordsFor(error, REFUSALS))
      setBusy(false)
    }
  }
  return (
    <div class="entrance">
      <Page title={words.signInTitle} name={words.signInTitle}>
        <p class="lead">{hasEnded.value ? words.signedOut : words.signInWords}</p>
        <Alert words={failure} />
        {demo !== null && (
          <>
            <Button busy={isBusy} onPress={() => void press(signInToDemo)}>
              {words.openDemo}
            </Button>
            <p class="hint">{words.demoNote(demo.account)}</p>
          </>
        )}
        <Button
          kind={demo === null ? 'primary' : 'secondary'}
          busy={isBusy}
          onPress={() => void press(signInByPasskey)}
        >
          {words.withPasskey}
        </Button>
        <p class="hint">{words.invitedOnly}</p>
      </Page>
    </div>
  )
}
