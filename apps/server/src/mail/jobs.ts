import type { Job } from '../jobs/loop.ts'
import { walkJob } from '../jobs/walk.ts'
import type { MailService } from './service.ts'
import { SEND_JOB } from './store.ts'

/** One mail server: more at the same time would not be faster, and a slow one is not to be flooded. */
const AT_ONCE = 5

export function mailJobs(mail: MailService): Job[] {
  return [{ name: SEND_JOB, run: () => mail.sendDue(AT_ONCE) }, walkJob('mail.delete_old', '', mail.deleteOldMails)]
}
