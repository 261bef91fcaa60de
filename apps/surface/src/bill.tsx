import { Facts, Lines } from '@mintmark/ui/lines.tsx'
import { Summary } from '@mintmark/ui/sheet.tsx'
import { Words } from './draw.tsx'
import type { Bill as BillData } from './flows/flow.ts'
import { permissionsAddress } from './link.ts'
import { amountOf, moneyPiece } from './money-text.ts'
import { foreign } from './phrase.ts'

/** How much and what for, or what is allowed: in sight at every step. */
export function Bill({ bill }: { bill: BillData }) {
  const { label, state, amount, isWords = false, description = null, lines = [], facts = [], note = null } = bill
  return (
    <Summary
      label={label}
      state={state}
      amount={<Words phrase={amount} />}
      isWords={isWords}
      description={description && <Words phrase={[foreign(description)]} />}
    >
      <BillLines lines={lines} bill={bill} />
      <Facts
        facts={facts.map(({ words, isNever = false, isStop = false }, index) => ({
          key: `${index}`,
          words: <Words phrase={words} />,
          isNever,
          href: isStop ? permissionsAddress(location.pathname) : undefined,
        }))}
      />
      {note && (
        <p class="hint">
          <Words phrase={note} />
        </p>
      )}
    </Summary>
  )
}

function BillLines({ lines, bill }: { lines: NonNullable<BillData['lines']>; bill: BillData }) {
  const money = (minor: bigint) => <Words phrase={[moneyPiece(amountOf(minor), bill.currency ?? 'USD')]} />
  return (
    <Lines
      lines={lines.map(({ name, minor }, index) => ({
        key: `${index}`,
        name: <Words phrase={name} />,
        amount: money(minor),
      }))}
      rest={(shown) => {
        const rest = lines.slice(shown)
        return { words: bill.rest?.(rest), amount: money(rest.reduce((sum, { minor }) => sum + minor, 0n)) }
      }}
    />
  )
}
