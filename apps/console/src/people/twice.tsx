import { Button } from '@mintmark/ui/button.tsx'
import { useState } from 'preact/hooks'
import { words } from '../text/people/words.ts'

/** What takes something away asks once more, in the same place, for what. */
export function Twice({ label, name, question, isBusy, onPress }: TwiceProps) {
  const [isAsked, setAsked] = useState(false)
  if (!isAsked) {
    return (
      <Button kind="quiet" label={name} onPress={() => setAsked(true)}>
        {label}
      </Button>
    )
  }
  return (
    <span class="twice">
      <span class="hint">{question}</span>
      <span class="twice-acts">
        <Button kind="secondary" onPress={() => setAsked(false)}>
          {words.keep}
        </Button>
        <Button
          kind="danger"
          busy={isBusy}
          label={name}
          onPress={() => {
            setAsked(false)
            onPress()
          }}
        >
          {label}
        </Button>
      </span>
    </span>
  )
}

interface TwiceProps {
  label: string
  /** With what it is about. */
  name: string
  question: string
  isBusy: boolean
  onPress: () => void
}
