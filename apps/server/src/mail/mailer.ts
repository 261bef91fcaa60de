import { join } from 'node:path'
import type { Environment } from '@mintmark/contract'
import type { Log } from '../platform/log.ts'
import type { Secret } from '../platform/secret.ts'
import { createFileMailer } from './files.ts'
import type { Mailer } from './port.ts'
import { createSmtpMailer } from './smtp.ts'

interface MailerSettings {
  environment: Environment
  smtpUrl: Secret | null
  home: string
  surfaceUrl: string
  log: Log
}

/** How mails leave: by the mail server that is set; without one as files in the sandbox, and in production not yet. */
export function createMailer({ environment, smtpUrl, home, surfaceUrl, log }: MailerSettings): Mailer {
  if (smtpUrl !== null) return createSmtpMailer({ url: smtpUrl, host: new URL(surfaceUrl).hostname })
  return environment === 'sandbox' ? createFileMailer({ directory: join(home, 'mail'), log }) : NO_MAILER
}

/** They wait in the outbox, and are sent when there is a mail server before their time is over. */
const NO_MAILER: Mailer = {
  description: 'none is sent: SMTP_URL is not set',
  sends: false,
  send: async () => ({ outcome: 'deferred', reason: 'not_configured', replyCode: null }),
}
