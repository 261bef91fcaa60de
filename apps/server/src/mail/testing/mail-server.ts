import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** What the mail server does to the next mails. */
export type Conduct =
  | 'accept'
  /** Takes the mail, keeps it, and dies before it says so. */
  | 'accept and die'
  /** Takes the mail, keeps it, and says so after a second. */
  | 'accept late'
  /** Takes the mail and says nothing any more. */
  | 'accept and be silent'
  | 'say nothing'
  | { at: 'MAIL' | 'RCPT' | 'DATA'; code: number }
  /** Something happens while it thinks about the recipient. */
  | { meanwhile: () => Promise<unknown> }

interface Received {
  from: string
  to: string[]
  text: string
}

/** A real mail server of the test, which misbehaves when it is told to. */
export interface MailServer {
  url: string
  received: Received[]
  /** How often each Message-ID arrived. */
  arrivals(): Record<string, number>
  /** Most connections that were open at the same time. */
  mostOpen(): number
  behave(conduct: Conduct): void
  /** Refuses connections until it is started again on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startMailServer(options: SMTPServerOptions & { host?: string } = {}): Promise<MailServer> {
  const { host = '127.0.0.1', ...given } = options
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let conduct: Conduct = 'accept'
  let most = 0
  let port = 0
  let server: SMTPServer
  const refusal = (at: 'MAIL' | 'RCPT' | 'DATA') =>
    typeof conduct === 'object' && 'at' in conduct && conduct.at === at
      ? Object.assign(new Error('said the test'), { responseCode: conduct.code })
      : undefined
  const start = async () => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: given.secure === true || given.key !== undefined ? [] : ['STARTTLS'],
      allowInsecureAuth: true,
      closeTimeout: 10,
      ...given,
      onConnect: (_session, callback) => {
        if (conduct !== 'say nothing') callback()
      },
      onMailFrom: (_address, _session, callback) => callback(refusal('MAIL')),
      async onRcptTo(_address, _session, callback) {
        if (typeof conduct === 'object' && 'meanwhile' in conduct) await conduct.meanwhile()
        callback(refusal('RCPT'))
      },
      async onData(stream, session, callback) {
        const chunks = await stream.toArray().catch(() => null)
        // The client went away before the end.
        if (chunks === null) return
        const bytes = Buffer.concat(chunks)
        const refused = refusal('DATA')
        if (refused !== undefined) return callback(refused)
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        received.push({ from, to: rcptTo.map(({ address }) => address), text: bytes.toString('utf8') })
        if (conduct === 'accept and be silent') return
        if (conduct === 'accept and die') for (const socket of sockets) socket.destroy()
        if (conduct === 'accept late') await delay(1_000)
        callback()
      },
    })
    // What a client does to its connection is what is tested.
    server.on('error', () => undefined)
    server.server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      most = Math.max(most, sockets.size)
      socket.once('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(port, host, () => resolve()))
    port = (server.server.address() as AddressInfo).port
  }
  await start()
  return {
    url: `${given.secure === true ? 'smtps' : 'smtp'}://${host}:${port}`,
    received,
    arrivals: () => countById(received),
    mostOpen: () => most,
    behave: (next) => {
      conduct = next
    },
    start,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** A header of a mail, as it stands on its line. */
export function headerOf({ text }: Pick<Received, 'text'>, name: string): string | undefined {
  const [head = ''] = text.split('\r\n\r\n')
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return unfolded.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))?.slice(name.length + 2)
}

function countById(received: readonly Received[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const mail of received) {
    const id = headerOf(mail, 'Message-ID') ?? 'none'
    counts[id] = (counts[id] ?? 0) + 1
  }
  return counts
}

/** The parts of a mail as they are read: the text, and the HTML. */
export function bodiesOf({ text }: Pick<Received, 'text'>): { plain: string; html: string } {
  const part = (type: string) => {
    const [, encoding = '', body = ''] =
      new RegExp(`Content-Type: ${type}[^]*?Content-Transfer-Encoding: (\\S+)[^]*?\\r\\n\\r\\n([^]*?)\\r\\n--`).exec(
        text,
      ) ?? []
    if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
    if (encoding !== 'quoted-printable') return body
    const bytes = body
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
  return { plain: part('text/plain'), html: part('text/html') }
}

/** The link of a mail that asks for a confirmation. */
export function linkOf(mail: Pick<Received, 'text'>): string {
  const [link] = /https?:\/\/\S+\/contacts\/\S+/.exec(bodiesOf(mail).plain) ?? []
  if (link === undefined) throw new Error('The mail has no link.')
  return link
}
