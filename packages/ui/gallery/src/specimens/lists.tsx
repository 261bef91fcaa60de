import { Badge } from '../../../src/badge.tsx'
import { Button } from '../../../src/button.tsx'
import { Gauge } from '../../../src/gauge.tsx'
import { Icon } from '../../../src/icons.tsx'
import { ItemList } from '../../../src/items.tsx'
import { Facts, Lines, Rows } from '../../../src/lines.tsx'
import { Written } from '../../../src/money.tsx'
import { Panel } from '../../../src/panel.tsx'
import { Party } from '../../../src/party.tsx'
import { Sign } from '../../../src/signs.tsx'
import { type Moment, Timeline } from '../../../src/timeline.tsx'
import { Ground, Specimen } from '../specimen.tsx'
import type { GalleryWords } from '../words.ts'

interface Props {
  words: GalleryWords
}

/** Several things of a kind, what is left of a limit, and what happened. */
export function Lists({ words }: Props) {
  return (
    <>
      <Specimen of="Panel, Gauge">
        <Permissions words={words} />
        <Passed words={words} />
      </Specimen>
      <Specimen of="ItemList">
        <Activity words={words} />
      </Specimen>
      <Specimen of="Timeline">
        <Story words={words} />
      </Specimen>
      <Specimen of="Lines, Rows, Facts">
        <Ground>
          <Bill words={words} />
        </Ground>
      </Specimen>
    </>
  )
}

function Permissions({ words }: Props) {
  const paused = (
    <Badge tone="warn" icon={<Sign name="pause" />}>
      {words.states[2]}
    </Badge>
  )
  const pause = (name: string) => (
    <Button kind="secondary" label={`${words.pause}: ${name}`}>
      <Sign name="pause" />
    </Button>
  )
  return (
    <Panel title={words.spend}>
      <div class="entry">
        <Who name={words.agent} note={words.agentBy} act={pause(words.agent)} />
        <Gauge
          label={words.thisMonth}
          cap={200}
          parts={[{ share: 'used', size: 150 }]}
          text={words.leftText}
          words={<Left words={words.left} />}
          note={words.renews}
        />
      </div>
      <div class="entry">
        <Who name={words.coffee} note={words.within} act={pause(words.coffee)} />
        <Gauge
          label={words.thisMonth}
          cap={25}
          parts={[{ share: 'held', size: 25 }]}
          text={words.noneText}
          words={<Left words={words.none} />}
          note={words.notReported}
        />
      </div>
      <div class="entry">
        <Who name={words.reading} note={words.self} act={paused} />
        <Gauge
          label={words.thisWeek}
          cap={30}
          parts={[]}
          text={words.allText}
          words={<Left words={words.all} />}
          note={words.nothing}
        />
      </div>
    </Panel>
  )
}

function Who({ name, note, act }: { name: string; note: string; act: preact.ComponentChildren }) {
  return (
    <div class="with-act">
      <Party name={name} title={name} host={note} />
      {act}
    </div>
  )
}

function Left({ words: [amount, rest] }: { words: readonly [string, string] }) {
  return (
    <>
      <b>{amount}</b>
      {rest}
    </>
  )
}

function Passed({ words }: Props) {
  return (
    <Panel title={words.passed}>
      <div class="entry">
        <Gauge
          label={words.thisMonth}
          cap={200}
          capWords={words.cap}
          parts={[
            { share: 'used', size: 150, words: words.parts[0] },
            { share: 'asked', size: 64, words: words.parts[1] },
          ]}
          text={words.passedText}
          words={words.anew}
        />
      </div>
    </Panel>
  )
}

function Activity({ words }: Props) {
  const amount = (written: string) => <Written amount={written} />
  return (
    <Panel title={words.lately}>
      <ItemList
        title={words.today}
        items={[
          {
            key: '1',
            name: words.agent,
            title: words.rail,
            note: words.above,
            amount: amount('$64.00'),
            fate: 'refused',
          },
          { key: '2', name: words.agent, title: words.air, note: words.within, amount: amount('$84.00'), href: '#air' },
        ]}
      />
      <ItemList
        title={words.earlier}
        items={[
          {
            key: '3',
            name: words.coffee,
            title: words.coffee,
            note: words.held,
            amount: amount('$25.00'),
            fate: 'held',
          },
          { key: '4', name: words.shop, title: words.shop, note: words.self, amount: amount('€57.80') },
        ]}
      />
    </Panel>
  )
}

const LOOKS: readonly Pick<Moment, 'time' | 'turn' | 'picture' | 'reference'>[] = [
  { time: '14:08:31', turn: 'yours', picture: <Sign name="arrow" />, reference: 'POST /v1/sessions' },
  { time: '+ 4.2 s' },
  { time: '+ 21 s', turn: 'good', picture: <Icon name="check" /> },
  { time: '+ 27 s', turn: 'good', picture: <Icon name="key" /> },
  { time: '+ 32 s', turn: 'bad', picture: <Icon name="cross" />, reference: 'evt_01m84b…6cph' },
  { time: '+ 33 s', turn: 'yours', picture: <Sign name="arrow" />, reference: 'GET …/payment-result' },
]

function Story({ words }: Props) {
  const rows = words.why.map(([label, value]) => ({ label, value }))
  const moments = LOOKS.map((look, index): Moment => {
    const at = `2026-11-23T13:08:${31 + index}Z`
    const said = { what: words.turns[index], who: words.whos[index] }
    return { key: at, at, ...look, ...said, ...(look.turn === 'bad' && { details: <Rows rows={rows} /> }) }
  })
  return (
    <Panel title={words.timeline}>
      <Timeline label={words.timeline} moments={moments} />
    </Panel>
  )
}

function Bill({ words }: Props) {
  const lines = ['€12.00', '€8.00', '€20.00', '€17.80'].map((written, index) => ({
    key: written,
    name: index % 2 === 0 ? words.tea : words.cup,
    amount: <Written amount={written} />,
  }))
  return (
    <>
      <Lines
        lines={lines}
        rest={(shown) => ({ words: words.more(lines.length - shown), amount: <Written amount="€37.80" /> })}
      />
      <Rows
        rows={words.rows.map(([label, value]) => ({
          label,
          value,
          items: label === words.rows[1][0] ? [words.tea, words.cup] : [],
        }))}
      />
      <Facts
        facts={[
          { key: 'may', words: words.may[0] },
          { key: 'never', words: words.mayNot[0], isNever: true },
        ]}
      />
    </>
  )
}
