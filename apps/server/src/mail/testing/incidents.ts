import { randomBytes } from 'node:crypto'
import type { TestService } from '../../../test/service.ts'
import { command } from '../../db/command.ts'
import { type IncidentChange, queueIncidentMail } from '../service.ts'
import { linkOf, type MailServer } from './mail-server.ts'

const NO_EVENTS = {
  prepare: () => {
    throw new Error('No event is captured here.')
  },
  append: async () => undefined,
}

/** An incident of the test merchant, open since now. */
export function incidentOf(service: TestService, changes: Partial<IncidentChange['endpoint']> = {}): IncidentChange {
  return {
    merchantId: service.merchant.merchantId,
    incident: {
      id: `whi_${randomBytes(8).toString('hex')}`,
      reason: 'circuit_open',
      openedAt: service.clock.now(),
      closedAt: null,
    },
    endpoint: {
      id: 'whe_0123456789',
      name: 'Orders',
      url: 'https://hooks.shop.example:8443/in/path-9d1f?key=query-77aa',
      ...changes,
    },
  }
}

/** Writes the notices of a change as its own transaction does. */
export async function notify({ pool, clock }: TestService, change: IncidentChange): Promise<void> {
  const declaration = { name: 'test.incident', silent: 'Of a test.' }
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
