import { ActionBar } from '../../../src/act.tsx'
import { Button } from '../../../src/button.tsx'
import { CardRow } from '../../../src/card.tsx'
import { Chips } from '../../../src/chips.tsx'
import { Icon } from '../../../src/icons.tsx'
import { Facts, Lines } from '../../../src/lines.tsx'
import { Money } from '../../../src/money.tsx'
import { Party } from '../../../src/party.tsx'
import { Receipt } from '../../../src/receipt.tsx'
import { Say } from '../../../src/say.tsx'
import { Foot, Head, Sheet, Summary } from '../../../src/sheet.tsx'
import { Sign } from '../../../src/signs.tsx'
import { Specimen } from '../specimen.tsx'
import type { GalleryWords } from '../words.ts'

interface Props {
  words: GalleryWords
}

/** The sheet of a payment, of a permission, and how they end. */
export function Sheets({ words }: Props) {
  return (
    <>
      <Specimen of="Sheet, Head, Party, Summary, Lines, Chips, Facts, CardRow, Say, ActionBar, Foot">
        <div class="sheets">
          <Payment words={words} />
          <Permission words={words} />
        </div>
      </Specimen>
      <Specimen of="Receipt, Rows, Medal">
        <div class="sheets">
          <Ends words={words} />
        </div>
      </Specimen>
    </>
  )
}

function Payment({ words }: Props) {
  const money = (amount: string) => <Money amount={amount} currency="EUR" locale={words.locale} />
  return (
    <Sheet label={words.approve}>
      <Head>
        <Party name={words.shop} title={words.shop} host={words.shopHost} badge={words.sandbox} />
        <WayOut words={words} />
      </Head>
      <Summary label={words.payOnce} state={words.payOnce} amount={money('57.80')}>
        <Lines
          lines={[
            { key: 'tea', name: words.tea, amount: money('40') },
            { key: 'cup', name: words.cup, amount: money('17.80') },
          ]}
          rest={() => ({ words: '', amount: '' })}
        />
      </Summary>
      <WithCard words={words} />
      <Say>{words.sentence}</Say>
      <ActionBar note={words.how}>
        <Button>
          <Icon name="key" />
          {words.approve}
        </Button>
      </ActionBar>
      <Keeper words={words} />
    </Sheet>
  )
}

function Permission({ words }: Props) {
  const facts = [...words.may, ...words.mayNot].map((fact, index) => ({
    key: fact,
    words: fact,
    isNever: index >= words.may.length,
  }))
  return (
    <Sheet label={words.allow}>
      <Head>
        <Party name={words.agent} title={words.agent} host={words.agentBy} />
        <WayOut words={words} />
      </Head>
      <Summary
        label={words.maySpend}
        state={words.maySpend}
        amount={
          <>
            <Money amount="200" currency="USD" locale="en-US" /> {words.aMonth}
          </>
        }
      >
        <Facts facts={facts} />
      </Summary>
      <Chips
        label={words.lower}
        chips={words.caps.map((cap, index) => ({ key: cap, words: cap, isChosen: index === 2 }))}
        onPick={() => {}}
      />
      <WithCard words={words} />
      <Say>{words.most}</Say>
      <ActionBar note={words.how}>
        <Button>
          <Icon name="key" />
          {words.allow}
        </Button>
      </ActionBar>
      <Keeper words={words} />
    </Sheet>
  )
}

function Ends({ words }: Props) {
  const ends = [
    { icon: 'cross', tone: 'bad', title: words.failed, text: words.failedText },
    { icon: 'clock', tone: 'calm', title: words.expired, text: words.expiredText },
  ] as const
  return (
    <>
      <Sheet label={words.approved}>
        <Receipt
          icon="check"
          tone="good"
          title={words.approved}
          text={words.approvedText}
          rows={words.rows.map(([label, value]) => ({ label, value }))}
          sentence={
            <Say>
              <b>{words.word}</b> {words.sentence}
            </Say>
          }
        >
          <Button kind="quiet">
            <Sign name="document" />
            {words.save}
          </Button>
          <Button>{words.back}</Button>
        </Receipt>
      </Sheet>
      {ends.map((end) => (
        <Sheet key={end.title} label={end.title}>
          <Receipt {...end}>
            <Button kind="secondary">{words.back}</Button>
          </Receipt>
        </Sheet>
      ))}
    </>
  )
}

function WithCard({ words }: Props) {
  return (
    <CardRow brand="visa" name={words.card} note={words.kept}>
      <Button kind="quiet">{words.change}</Button>
    </CardRow>
  )
}

function WayOut({ words }: Props) {
  return (
    <div class="cancel-bar">
      <Button kind="quiet">{words.notNow}</Button>
    </div>
  )
}

function Keeper({ words }: Props) {
  const links = [
    { href: '#privacy', words: words.privacy },
    { href: '#help', words: words.help },
  ]
  return <Foot trust={words.trust} name={words.operator} links={links} />
}
