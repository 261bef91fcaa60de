import type { MoneyState, PaymentOrigin } from '@mintmark/contract/console'
import type { ChargeStatus, PaymentFailure } from '@mintmark/contract/states'
import type { ConsolePayment } from '@mintmark/contract/wire/console'

/** What happened, and what to do. */
export interface Told {
  what: string
  next: string
}

/** Every way in which a payment can stand has its words: what is missing does not compile. */
export interface StoryTable {
  initiated: Record<PaymentOrigin, Told>
  minting: Told
  awaiting_result: Record<MoneyState, Told>
  completed: Record<MoneyState, Told>
  failed: Record<PaymentFailure, Told>
  /** It failed and no reason is known. */
  failedWithout: Told
  /** What to do in place of trying again, where a payment that failed may have moved money. */
  failedBut: Record<Exclude<MoneyState, 'not_charged' | 'nothing_yet'>, string>
  /** What became of the money. */
  money: Record<MoneyState, (sum: string) => string>
}

export type StoryTone = 'good' | 'bad' | 'warn' | 'info'

export interface Story extends Told {
  money: string
  tone: StoryTone
}

type Standing = Pick<ConsolePayment, 'status' | 'code' | 'money' | 'origin'>

/** Total: over all statuses, codes and moneys. What is not known never reads as failed. */
export function storyOf(table: StoryTable, payment: Standing, sum: string): Story {
  return { ...toldOf(table, payment), money: table.money[payment.money](sum), tone: toneOf(payment) }
}

function toldOf(table: StoryTable, { status, code, money, origin }: Standing): Told {
  if (status === 'initiated') return table.initiated[origin]
  if (status === 'minting') return table.minting
  if (status !== 'failed') return table[status][money]
  const { what, next } = code === null ? table.failedWithout : table.failed[code]
  return { what, next: money === 'not_charged' || money === 'nothing_yet' ? next : table.failedBut[money] }
}

const OPEN_TONES: Record<Exclude<ChargeStatus, 'failed'>, StoryTone> = {
  initiated: 'info',
  minting: 'warn',
  awaiting_result: 'info',
  completed: 'good',
}

export function toneOf({ status, money }: Pick<Standing, 'status' | 'money'>): StoryTone {
  if (money === 'not_known') return 'warn'
  if (status !== 'failed') return OPEN_TONES[status]
  return money === 'charged' || money === 'held' ? 'warn' : 'bad'
}
