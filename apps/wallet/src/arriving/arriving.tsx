import { word } from '../recovery/going.ts'
import { Recovery } from '../recovery/recovery.tsx'
import { words as text } from '../text/arriving/words.ts'
import { words as recovery } from '../text/recovery/words.ts'
import { text as common } from '../text/words.ts'
import { Alert, Button, KeyIcon, Sheet } from '../ui.tsx'
import { NewDevice, startNewDevice } from './new-device.tsx'
import { SignUp, startLost, startSignUp } from './sign-up.tsx'
import { busy, failure, go, signIn, way } from './state.ts'

/** The way in. `why`: what waits behind it. */
export function SignIn({ why }: { why: string }) {
  if (way.value === 'first') return <SignUp />
  if (way.value === 'lost') return <Recovery begin={startLost} />
  return way.value === 'device' ? <NewDevice /> : <Returning why={why} />
}

function Returning({ why }: { why: string }) {
  return (
    <Sheet title={text.signInTitle}>
      <p class="lead">{why}</p>
      <Alert words={failure.value} />
      <div class="actions">
        <Button busy={busy.value} onPress={() => void signIn()}>
          <KeyIcon /> {text.signIn}
        </Button>
        <Button kind="secondary" onPress={startSignUp}>
          {text.firstTime}
        </Button>
        <Button kind="quiet" onPress={startNewDevice}>
          {text.otherDevice}
        </Button>
        <Button kind="quiet" onPress={word.value === null ? startLost : () => go('lost')}>
          {word.value === null ? recovery.lost : recovery.goOn}
        </Button>
      </div>
      <p class="foot">{common.confirms}</p>
    </Sheet>
  )
}
