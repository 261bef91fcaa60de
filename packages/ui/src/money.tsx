import { moneyText } from '@mintmark/contract/sentence/format'

/**
 * An amount that is written already. Its size follows its length: it is read whole or not at all, with figures of one
 * width.
 */
export function Written({ amount }: { amount: string }) {
  return (
    <bdi class="money" style={{ '--length': String(amount.length) }}>
      {amount}
    </bdi>
  )
}

/**
 * An `amount` as the wire has it (`"57.80"`), with its `currency`, as a reader of `locale` writes it; less than nothing
 * as well.
 */
export function Money({ amount, currency, locale }: { amount: string; currency: string; locale: string }) {
  const shown = moneyText(amount.replace('-', ''), currency, { locale })
  return <Written amount={amount.startsWith('-') ? `\u2212${shown}` : shown} />
}
