import type { MoneyState } from '@mintmark/contract/console'
import type { ConsoleHome } from '@mintmark/contract/wire/console'
import { Money } from '@mintmark/ui/money.tsx'
import { Panel } from '@mintmark/ui/panel.tsx'
import { locale } from '../parts/time.tsx'
import { words } from '../text/home/words.ts'
import { words as payments } from '../text/payments/words.ts'
import { shares } from './shares.ts'

/** What is sure stands first. */
const ORDER: readonly MoneyState[] = ['charged', 'held', 'not_known', 'not_charged', 'nothing_yet']

/** The money of a day by what became of it: a bar a state, as long as its part. */
export function MoneyPicture({ view: { money, counted_all } }: { view: ConsoleHome }) {
  return (
    <Panel title={words.money}>
      {money.length === 0 && <p class="none">{words.moneyNone}</p>}
      {money.map(({ currency, by_state }) => (
        <section key={currency} class="money-of" aria-label={words.moneyIn(currency)}>
          <ul class="bars">
            {shares(by_state, ORDER).map(({ money: state, count, amount, part }) => (
              <li key={state} class={`bar-line bar-${state}`}>
                <a class="bar-name" href={`/payments?money=${state}`}>
                  {payments.moneys[state]}
                </a>
                <span class="bar" aria-hidden="true">
                  <span class="bar-part" style={{ '--part': `${part}%` }} />
                </span>
                <span class="bar-sum">
                  <Money {...{ amount, currency, locale }} />
                  <span class="hint"> {words.payments(count)}</span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {!counted_all && <p class="none">{words.moreThan}</p>}
    </Panel>
  )
}
