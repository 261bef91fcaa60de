import type { Job } from '../jobs/loop.ts'
import type { ReceiptService } from './service.ts'

export function receiptJobs(receipts: Pick<ReceiptService, 'writeDue'>): Job[] {
  return [{ name: 'receipts.write', restMillis: 1_000, run: () => receipts.writeDue() }]
}
