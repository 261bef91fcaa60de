import type { Job } from '../../jobs/loop.ts'
import type { QuoteService } from './service.ts'

const HOUR_MILLIS = 60 * 60 * 1000
const PAGE = 500

/** Walks over all merchants, a page a run, and then rests. A merchant that has more than a page is first again. */
export function quoteJobs(quotes: QuoteService): Job[] {
  let after = ''
  async function run() {
    const step = await quotes.deleteUnused(after, PAGE)
    if (step === null) after = ''
    else if (step.deleted < PAGE) after = step.merchantId
    return { taken: step === null ? 0 : 1, nextDueAt: null }
  }
  return [{ name: 'quotes.delete_unused', restMillis: HOUR_MILLIS, run }]
}
