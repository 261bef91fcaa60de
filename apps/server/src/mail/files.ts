import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../platform/log.ts'
import type { MailAnswer, Mailer, OutgoingMail } from './port.ts'

/** The sandbox without a mail server: each mail is a file, which mail programs open, and its path is logged. */
export function createFileMailer({ directory, log }: { directory: string; log: Log }): Mailer {
  return {
    description: `as files in ${directory}`,
    sends: true,
    send: (mail) => write(directory, log, mail),
  }
}

async function write(directory: string, log: Log, { id, bytes }: OutgoingMail): Promise<MailAnswer> {
  // A second try writes the same file again, so there is nothing to hand over twice.
  const path = join(directory, `${id}.eml`)
  // The name is of this process alone: after a lost lease two may write at the same moment.
  const unfinished = `${path}.${process.pid}.new`
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await writeDurably(unfinished, bytes)
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined)
    log.failure('a mail cannot be written', error, { mail_id: id })
    return { outcome: 'deferred', reason: 'file', replyCode: null }
  }
  log.info('a mail was written to a file', { mail_id: id, path })
  return { outcome: 'accepted' }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
