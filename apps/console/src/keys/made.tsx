import type { MadeKey } from '@mintmark/contract/wire/console-keys'
import { Button } from '@mintmark/ui/button.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { CodeLine } from '../parts/copy.tsx'
import { words } from '../text/keys/words.ts'

/** All of a key, this once: the page keeps it until it is left. */
export function Made({ made, onDone }: { made: MadeKey; onDone: () => void }) {
  return (
    <Panel title={words.madeTitle}>
      <div class="panel-body people-form" role="status">
        <p>{words.madeWords}</p>
        <CodeLine line={made.key} label={words.madeTitle} />
        <Button kind="secondary" onPress={onDone}>
          {words.madeDone}
        </Button>
      </div>
    </Panel>
  )
}
