import { Readable } from 'node:stream'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Secret } from '../platform/secret.ts'
import type { MailAnswer, Mailer, OutgoingMail } from './port.ts'

export interface SmtpOptions {
  url: Secret
  /** What this deployment calls itself to the mail server. */
  host: string
  timeouts?: SmtpTimeouts
  /** Certificates of authorities beside the system's. */
  ca?: string
}

interface SmtpTimeouts {
  /** Name, connection, greeting and TLS together. */
  connectMillis: number
  /** Without a word of the mail server. Some look at the text for a minute before they take it. */
  silenceMillis: number
  /** A try as a whole. */
  totalMillis: number
}

const TIMEOUTS: SmtpTimeouts = { connectMillis: 15_000, silenceMillis: 120_000, totalMillis: 300_000 }
const THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1'])
/** How long one reply may be. The library's own limit is a megabyte. */
const MAX_REPLY_BYTES = 16_384

interface Server {
  host: string
  port: number
  isTlsFromStart: boolean
  login: { user: string; pass: string } | null
}

/** Sends mails by SMTP, a connection each. Nothing goes over a line in the clear but to this machine. */
export function createSmtpMailer({ url, host: name, timeouts = TIMEOUTS, ca }: SmtpOptions): Mailer {
  const server = readUrl(url.reveal())
  const { host, port, isTlsFromStart } = server
  const isHere = THIS_MACHINE.has(host)
  const options = {
    ...{ host, port, secure: isTlsFromStart, name },
    // A mail server of this machine has a certificate that no authority signed, if it has one.
    requireTLS: !isTlsFromStart && !isHere,
    ignoreTLS: isHere && !isTlsFromStart,
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    connectionTimeout: timeouts.connectMillis,
    greetingTimeout: timeouts.connectMillis,
    dnsTimeout: timeouts.connectMillis,
    socketTimeout: timeouts.silenceMillis,
    socketCloseTimeout: 0,
    maxResponseSize: MAX_REPLY_BYTES,
    allowInternalNetworkInterfaces: true,
  } as const
  return {
    sends: true,
    description: `by ${isTlsFromStart ? 'smtps' : 'smtp'} to ${host}:${port}`,
    send: (mail, mayHandOver) => tryOnce(new SMTPConnection(options), { mail, mayHandOver, server, timeouts }),
  }
}

function readUrl(text: string): Server {
  const url = new URL(text)
  const isTlsFromStart = url.protocol === 'smtps:'
  const { username: user, password: pass } = url
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port || (isTlsFromStart ? 465 : 587)),
    isTlsFromStart,
    login: user === '' ? null : { user: decodeURIComponent(user), pass: decodeURIComponent(pass) },
  }
}

interface Try {
  mail: OutgoingMail
  mayHandOver: () => Promise<boolean>
  server: Server
  timeouts: SmtpTimeouts
}

async function tryOnce(connection: SMTPConnection, attempt: Try): Promise<MailAnswer> {
  const text = lazyText(attempt)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TryError('ETIMEDOUT')), attempt.timeouts.totalMillis)
  try {
    await Promise.race([converse(connection, attempt, text.stream), late])
    return { outcome: 'accepted' }
  } catch (error) {
    if (text.state === 'withheld') return { outcome: 'withheld' }
    return answerOf(error, text.state === 'handed over')
  } finally {
    clearTimeout(timer)
    // Without a QUIT, which would be one more wait: the mail server has said its word about the only mail.
    connection.close()
    text.stream.destroy()
  }
}

/** For what the library does not say itself. */
class TryError extends Error {
  override readonly name = 'TryError'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

async function converse(connection: SMTPConnection, { mail, server }: Try, stream: Readable): Promise<void> {
  const { promise: lost, reject } = Promise.withResolvers<never>()
  connection.on('error', reject)
  connection.on('end', () => reject(new TryError('ECONNECTION')))
  const step = (work: (done: (error?: Error | null) => void) => void) =>
    Promise.race([lost, new Promise<void>((resolve, fail) => work((error) => (error ? fail(error) : resolve())))])
  await step((done) => connection.connect((error) => done(error)))
  const { login } = server
  if (login !== null) await step((done) => connection.login(login, (error) => done(error)))
  const envelope = { from: mail.from, to: [mail.to], size: mail.bytes.length }
  await step((done) => connection.send(envelope, stream, (error) => done(error)))
}

/**
 * The text as a stream that gives nothing before it is asked for, which the library does when the mail server has said that
 * it is ready for it. From the first byte on the mailer cannot know that the mail was not taken.
 */
function lazyText({ mail, mayHandOver }: Try) {
  const text: { stream: Readable; state: 'kept' | 'withheld' | 'handed over' } = {
    state: 'kept',
    stream: new Readable({
      read() {
        mayHandOver().then(
          (may) => {
            text.state = may ? 'handed over' : 'withheld'
            if (!may) return this.destroy(new TryError('EWITHHELD'))
            this.push(mail.bytes)
            this.push(null)
          },
          // Whether it may be handed over could not be found out.
          () => {
            text.state = 'withheld'
            this.destroy(new TryError('EWITHHELD'))
          },
        )
      },
    }),
  }
  // Destroyed before anyone listens, it would end the program.
  text.stream.on('error', () => undefined)
  return text
}

/** The library's errors: a code of its own, and the reply of the mail server if there was one. */
interface SmtpError {
  code?: string
  command?: string
  responseCode?: number
}

const REASONS: Readonly<Record<string, Extract<MailAnswer, { outcome: 'unknown' }>['reason']>> = {
  EDNS: 'dns',
  ECONNECTION: 'connection',
  ESOCKET: 'connection',
  ETIMEDOUT: 'timeout',
  ETLS: 'tls',
  EAUTH: 'login',
}
/** What the mail server says to these is said of this mail, and not of us or of the moment. */
const ABOUT_THE_MAIL = new Set(['MAIL FROM', 'RCPT TO', 'DATA'])

function answerOf(error: unknown, wasHandedOver: boolean): MailAnswer {
  const { code = '', command = '', responseCode } = error as SmtpError
  const isReply = responseCode !== undefined && responseCode >= 400
  if (isReply && responseCode >= 500 && ABOUT_THE_MAIL.has(command)) {
    return { outcome: 'refused', replyCode: responseCode }
  }
  const reason = isReply && ABOUT_THE_MAIL.has(command) ? 'deferred' : (REASONS[code] ?? 'protocol')
  if (isReply) return { outcome: 'deferred', reason, replyCode: responseCode }
  return wasHandedOver ? { outcome: 'unknown', reason } : { outcome: 'deferred', reason, replyCode: null }
}
