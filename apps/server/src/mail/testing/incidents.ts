import { randomBytes } from 'node:crypto'
import type { TestService } from '../../../test/service.ts'
import { command } from '../../db/command.ts'
import type { IncidentChange } from '../../webhooks/delivery/incidents.ts'
import { queueIncidentMail } from '../service.ts'
import { linkOf, type MailServer } from './mail-server.ts'

const NO_EVENTS = {
  prepare: () => {
    throw new Error('No event is captured here.')
  },
  append: async () => undefined,
}

let made = 0

/** An incident of an endpoint of the test merchant, open since now. */
export async function openIncident(
  { pool, clock, merchant }: TestService,
  changes: { name?: string; url?: string; reason?: IncidentChange['incident']['reason'] } = {},
): Promise<IncidentChange> {
  made += 1
  const {
    name = 'Orders',
    url = 'https://hooks.shop.example:8443/in/path-9d1f?key=query-77aa',
    reason = 'circuit_open',
  } = changes
  const [endpointId, id] = [`we_${made}${randomBytes(4).toString('hex')}`, `whi_${randomBytes(8).toString('hex')}`]
  const { merchantId } = merchant
  await pool.query(
    `insert into webhook_endpoints (merchant_id, id, place, name, url, events, is_account, revision, enabled, verified_at,
       failures, secret_sealed, secret_key_id, created_at, updated_at)
     select $1, $2, 1 + count(*), $3, $4, '{}', false, 1, true, $5::timestamptz, 5, '', 'local:1', $5, $5
     from webhook_endpoints where merchant_id = $1`,
    [merchantId, endpointId, name, url, clock.now()],
  )
  await pool.query(
    'insert into webhook_incidents (merchant_id, id, endpoint_id, reason, opened_at) values ($1, $2, $3, $4, $5)',
    [merchantId, id, endpointId, reason, clock.now()],
  )
  const incident = { id, reason, openedAt: clock.now(), closedAt: null }
  return { merchantId, incident, endpoint: { id: endpointId, name, url } }
}

/** The same incident, when it closes. */
export function closed({ clock }: TestService, { incident, ...change }: IncidentChange): IncidentChange {
  return { ...change, incident: { ...incident, closedAt: clock.now() } }
}

/** Writes the notices of a change as its own transaction does. */
export async function notify({ pool, clock }: TestService, change: IncidentChange): Promise<void> {
  const declaration = { name: 'test.incident', silent: 'test_only' } as const
  await command({ pool, clock, events: NO_EVENTS }, declaration, (context) => queueIncidentMail(context, change))
}

/** A contact of the test merchant whose link was opened, as its owner does. */
export async function verifiedContact(service: TestService, server: MailServer, email: string): Promise<void> {
  await service.app.mail.addContact(service.merchant.merchantId, { email, role: 'developer' })
  await service.runJobs()
  const mail = server.received.findLast(({ to }) => to.includes(email))
  if (mail === undefined) throw new Error('No link was mailed.')
  const opened = await fetch(linkOf(mail), { method: 'POST' })
  if (opened.status !== 200) throw new Error(`The link gave ${opened.status}.`)
}

/** The outbox of the test merchant, oldest first. */
export async function outbox({ pool, merchant }: TestService) {
  const { rows } = await pool.query<{ id: string; kind: string; state: string; reason: string | null; unsure: number }>(
    'select id, kind, state, reason, reply_code, unsure from mails where merchant_id = $1 order by id',
    [merchant.merchantId],
  )
  return rows
}
