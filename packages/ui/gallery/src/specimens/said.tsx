import { Badge } from '../../../src/badge.tsx'
import { Icon, Medal } from '../../../src/icons.tsx'
import { Alert, Notice, Quiet } from '../../../src/notice.tsx'
import { Say } from '../../../src/say.tsx'
import { Sign } from '../../../src/signs.tsx'
import { Ground, Specimen } from '../specimen.tsx'
import type { GalleryWords } from '../words.ts'

const TONES = ['good', 'bad', 'warn', 'info', 'calm'] as const
const ICONS = ['check', 'cross', 'clock', 'key', 'cloud', 'notice', 'window'] as const
const SIGNS = ['arrow', 'pause', 'shield', 'document', 'out', 'copy'] as const
const PICTURES = {
  good: <Icon name="check" />,
  bad: <Icon name="cross" />,
  warn: <Sign name="pause" />,
  info: <Sign name="copy" />,
  calm: undefined,
}

/** What is said apart from everything else, and the pictures. */
export function Said({ words }: { words: GalleryWords }) {
  return (
    <>
      <Specimen of="Notice, Quiet, Alert, Say">
        <Ground>
          <Notice>{words.notice}</Notice>
          <Quiet title={words.quiet}>{words.quietText}</Quiet>
          <Alert words={words.alert} />
          <Say>{words.sentence}</Say>
        </Ground>
      </Specimen>
      <Specimen of="Badge">
        <Ground>
          <div class="many">
            {TONES.map((tone, index) => (
              <Badge tone={tone} icon={PICTURES[tone]} key={tone}>
                {words.states[index]}
              </Badge>
            ))}
          </div>
        </Ground>
      </Specimen>
      <Specimen of="Icon, Sign, Medal">
        <Ground>
          <div class="many">
            {ICONS.map((name) => (
              <Icon name={name} key={name} />
            ))}
            {SIGNS.map((name) => (
              <Sign name={name} key={name} />
            ))}
          </div>
          <div class="many">
            <Medal icon="check" tone="good" />
            <Medal icon="cross" tone="bad" />
            <Medal icon="notice" tone="calm" />
          </div>
        </Ground>
      </Specimen>
    </>
  )
}
