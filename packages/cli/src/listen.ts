import { createHmac } from 'node:crypto'
import { type EventPage, events, type MintmarkEvent, signWebhook } from '@mintmark/node'
import { type Account, readAccount } from './account.ts'
import { createApi } from './api.ts'
import { forward } from './forward.ts'
import { oneLine, type Terminal } from './terminal.ts'

export interface ListenOptions {
  forwardTo: URL | undefined
  kinds: ReadonlySet<string>
  /** Without it and without a cursor: what happens from now on. */
  since: Date | undefined
  cursor: string | undefined
}

const POLL_MILLIS = 500
/** Further back than an event may be committed after it happened, and than two clocks differ. */
const MARGIN_MILLIS = 10 * 60_000

/**
 * Pages the feed and sends what is new. Nothing is registered with the service and nothing has to be reachable from it, and an
 * event that comes while the connection is lost comes afterwards.
 */
export async function listen(options: ListenOptions, terminal: Terminal): Promise<void> {
  const { env, say, tell, paint, stopped } = terminal
  const account = await readAccount(env)
  const secret = signingSecret(account, env)
  // Key, address and cursor are looked at before anything is promised.
  const first = new URLSearchParams({ limit: '1', cursor: options.cursor ?? '0' })
  const { date } = await createApi(account, stopped).get(`/v1/events?${first}`)
  say(`Events of the sandbox at ${account.apiUrl}`)
  if (options.forwardTo !== undefined) {
    say(`are forwarded to ${options.forwardTo.href}`)
    say(`signed with ${env.MINTMARK_WEBHOOK_SECRET ? 'MINTMARK_WEBHOOK_SECRET' : paint('bold', secret)}`)
  }
  const count = { seen: 0, acknowledged: 0, failed: 0, cursor: options.cursor ?? '0' }
  const show = async (event: MintmarkEvent) => {
    count.seen += 1
    const line = `${event.occurred_at.slice(11, 19)}  ${event.type.padEnd(27)} ${event.id}  ${event.resource.id}`
    if (options.forwardTo === undefined) return tell === undefined ? say(line) : tell({ event, delivery: null })
    const { acknowledged, outcome } = await forward(event, options.forwardTo, secret, stopped)
    count[acknowledged ? 'acknowledged' : 'failed'] += 1
    if (tell !== undefined) return tell({ event, delivery: { acknowledged, outcome } })
    say(`${line}  ${paint(acknowledged ? 'green' : 'red', acknowledged ? `→ ${outcome}` : `✗ ${outcome}`)}`)
  }
  try {
    for await (const page of pages(account, options, date, terminal)) {
      for (const event of page.events) if (options.kinds.has(event.type)) await show(event)
      count.cursor = page.cursor
    }
  } finally {
    if (stopped.aborted) sayGoodbye(count, options, terminal)
  }
}

/** The pages to show. What is there already is read over, unless its time or a cursor was named. */
async function* pages(account: Account, options: ListenOptions, now: Date, terminal: Terminal) {
  const { say, paint, stopped } = terminal
  const fromNow = options.since === undefined && options.cursor === undefined
  // The sandbox's own clock may be ahead of this; then there is more to read over, and nothing is missed.
  const from = fromNow ? new Date(now.getTime() - MARGIN_MILLIS) : options.since
  let lost = false
  const connection = {
    retries: Number.POSITIVE_INFINITY,
    onRetry: ({ reason }: { reason: string }) => {
      if (!lost) say(paint('yellow', `${oneLine(reason, 300)} Trying until there is.`))
      lost = true
    },
    fetch: async (...call: Parameters<typeof fetch>) => {
      const response = await fetch(...call)
      if (lost && response.ok) say(paint('yellow', 'Connected again.'))
      if (response.ok) lost = false
      return response
    },
  }
  const feed = events({
    ...account,
    ...connection,
    ...(from === undefined ? {} : { from }),
    ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
    limit: 100,
    follow: true,
    pollMillis: POLL_MILLIS,
    signal: stopped,
  })
  let isReady = false
  const ready = () => {
    if (!isReady) say(`Ready. ${paint('dim', 'Stop with Ctrl-C.')}`)
    isReady = true
  }
  if (!fromNow) ready()
  for await (const page of feed) {
    if (isReady) yield page
    else if (page.caughtUp) yield withoutEvents(page, ready)
  }
}

function withoutEvents(page: EventPage, ready: () => void): EventPage {
  ready()
  return { ...page, events: [] }
}

interface Count {
  seen: number
  acknowledged: number
  failed: number
  cursor: string
}

function sayGoodbye({ seen, acknowledged, failed, cursor }: Count, { forwardTo }: ListenOptions, { say }: Terminal) {
  const outcomes = forwardTo === undefined ? '' : `, ${acknowledged} acknowledged, ${failed} not`
  say(`\n${seen} ${seen === 1 ? 'event' : 'events'}${outcomes}.`)
  if (cursor !== '0') say(`To go on from here (the newest come again): --cursor ${cursor}`)
}

/**
 * The same at every start, so that a receiver is set up once. It is made from the key in one direction, and is none of an
 * endpoint: a reader of it cannot sign what the service sends.
 */
export function signingSecret({ secretKey }: Account, env: NodeJS.ProcessEnv): string {
  const given = env.MINTMARK_WEBHOOK_SECRET
  const made = createHmac('sha256', secretKey).update('mintmark listen').digest('base64')
  const secret = given || `whsec_${made}`
  try {
    signWebhook('', { id: '', secrets: secret })
  } catch (cause) {
    throw new Error('MINTMARK_WEBHOOK_SECRET is no signing secret: that is whsec_ and base64.', { cause })
  }
  return secret
}
