import type { Job } from '../jobs/loop.ts'
import type { MailService } from './service.ts'
import { SEND_JOB } from './store.ts'

/** One mail server: more at the same time would not be faster, and a slow one is not to be flooded. */
const AT_ONCE = 5
const PAGE = 500
const HOUR_MILLIS = 60 * 60 * 1000

export function mailJobs(mail: MailService): Job[] {
  return [{ name: SEND_JOB, run: () => mail.sendDue(AT_ONCE) }, deleteOldJob(mail)]
}

function deleteOldJob(mail: MailService): Job {
  // Where this process stands in its walk.
  let after = ''
  async function run() {
    const step = await mail.deleteOldMails(after, PAGE)
    after = step?.next ?? ''
    return { taken: step?.deleted ?? 0, nextDueAt: null }
  }
  return { name: 'mail.delete_old', restMillis: HOUR_MILLIS, run }
}
