import type { Job } from '../../jobs/loop.ts'
import { walkJob } from '../../jobs/walk.ts'
import type { QuoteService } from './service.ts'

export function quoteJobs(quotes: QuoteService): Job[] {
  return [walkJob('quotes.delete_unused', '', quotes.deleteUnused)]
}
