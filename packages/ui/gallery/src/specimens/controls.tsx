import { useState } from 'preact/hooks'
import { Button } from '../../../src/button.tsx'
import { Plastic } from '../../../src/card.tsx'
import { Field } from '../../../src/field.tsx'
import { Icon, Spinner } from '../../../src/icons.tsx'
import { Sign } from '../../../src/signs.tsx'
import { Tick } from '../../../src/tick.tsx'
import { Ground, Specimen } from '../specimen.tsx'
import type { GalleryWords } from '../words.ts'

interface Props {
  words: GalleryWords
}

const KINDS = ['primary', 'secondary', 'quiet', 'danger'] as const

/** What one presses, types into and ticks. */
export function Controls({ words }: Props) {
  return (
    <>
      <Specimen of="Button">
        <Ground>
          <Buttons words={words} />
        </Ground>
      </Specimen>
      <Specimen of="Field">
        <Ground>
          <Fields words={words} />
        </Ground>
      </Specimen>
      <Specimen of="Tick, Spinner">
        <Ground>
          <Ticks words={words} />
          <Spinner />
        </Ground>
      </Specimen>
    </>
  )
}

function Buttons({ words }: Props) {
  const said = { primary: words.save, secondary: words.back, quiet: words.change, danger: words.end }
  return (
    <>
      {[false, true].map((busy) => (
        <div class="many" key={String(busy)}>
          {KINDS.map((kind) => (
            <Button kind={kind} busy={busy} key={kind} label={busy ? `${said[kind]}: ${words.working}` : ''}>
              {said[kind]}
            </Button>
          ))}
        </div>
      ))}
      <div class="many">
        <Button kind="secondary">
          <Sign name="pause" />
          {words.pause}
        </Button>
        <Button kind="quiet">
          {words.help}
          <Sign name="out" />
        </Button>
      </div>
      <Button>
        <Icon name="key" />
        {words.long}
      </Button>
    </>
  )
}

function Fields({ words }: Props) {
  const mark = (
    <span class="brand">
      <Plastic brand="visa" />
    </span>
  )
  return (
    <>
      <Field
        id="empty"
        label={words.name}
        hint={words.nameHint}
        input={{ name: 'a', placeholder: '1234 1234 1234 1234' }}
      />
      <Field id="full" label={words.name} input={{ name: 'b', value: '4242 4242 4242 4242' }}>
        {mark}
      </Field>
      <Field id="wrong" label={words.name} problem={words.nameWrong} input={{ name: 'c', value: '4242 42' }}>
        {mark}
      </Field>
      <div class="field-row">
        <Field id="hidden" label={words.code} hint={words.codeHint} isMasked input={{ name: 'd', value: '123' }} />
        <Field id="fixed" label={words.limit} input={{ name: 'e', value: '200.00', readOnly: true }} />
      </div>
    </>
  )
}

function Ticks({ words }: Props) {
  const [isTicked, tick] = useState(false)
  return (
    <>
      <Tick id="once" name="once" words={words.once} why={words.onceWhy} isTicked={isTicked} onChange={tick} />
      <Tick id="kept" name="kept" words={words.once} isTicked onChange={() => {}} />
    </>
  )
}
