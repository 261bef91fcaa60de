import { pause } from '../repeat.ts'
import type { CallOptions } from './call.ts'

export interface WaitOptions extends CallOptions {
  /** Between two looks. Default: 2000. */
  pollMillis?: number | undefined
  /**
   * Then what was seen last is returned, although it is still under way. Default: none; sessions and links end by
   * themselves.
   */
  waitMillis?: number | undefined
}

const POLL_MILLIS = 2_000

/** Looks again and again, until what is looked at is no longer under way. */
export async function untilSettled<Value>(
  look: () => Promise<Value>,
  isUnderWay: (value: Value) => boolean,
  { pollMillis = POLL_MILLIS, waitMillis = Number.POSITIVE_INFINITY, signal }: WaitOptions,
): Promise<Value> {
  const end = Date.now() + waitMillis
  for (;;) {
    const value = await look()
    if (!isUnderWay(value) || Date.now() + pollMillis > end) return value
    await pause(pollMillis, signal)
  }
}

export const isUnderWay = ({ status }: { status: string }) => status === 'pending' || status === 'processing'
