import type { ConsolePaymentView } from '@mintmark/contract/wire/console'
import { Badge } from '@mintmark/ui/badge.tsx'
import { Icon } from '@mintmark/ui/icons.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { longestWord, Say } from '@mintmark/ui/say.tsx'
import type { ComponentChildren } from 'preact'

interface Signed {
  sentence: ConsolePaymentView['sentence']
  words: Record<'signed' | 'notSigned' | 'evidence', string>
  children?: ComponentChildren
}

/** The sentence word for word, in the language in which it was read, and what belongs to it. */
export function SignedPanel({ sentence, words, children }: Signed) {
  return (
    <Panel title={words.signed}>
      <div class="panel-body">
        {sentence === null ? (
          <p class="hint">{words.notSigned}</p>
        ) : (
          <>
            <Say language={sentence.locale} longest={longestWord(sentence.text)}>
              {sentence.text}
            </Say>
            <p>
              <Badge tone="good" icon={<Icon name="check" />}>
                {words.evidence}
              </Badge>
            </p>
          </>
        )}
        {children}
      </div>
    </Panel>
  )
}
