import { dbRow, eventBodies } from '../../../test/flows.ts'
import type { TestMerchant, TestService } from '../../../test/service.ts'
import type { Owner } from '../../mandates/testing/standing.ts'
import { charge, chargeable } from './charge.ts'

export const DAY = 24 * 60 * 60
export const READY = '2 payment.credentials_ready'
/** What is taken of a mandate after a charge of 25.00, and after it came to nothing. */
export const TAKEN = { spent: 2_500, count: 1 }
export const BACK = { spent: 0, count: 0 }
export const LAPSED = {
  ...{ status: 'failed', failure_code: 'CREDENTIAL_LAPSED' },
  ...{ credential_sealed: null, credential_key_id: null },
}

/** Charges whose credentials lapse, on the nodes over one database; the first one runs the jobs. */
export function lapsing(nodes: readonly TestService[], merchant: TestMerchant, owner: Owner) {
  const [service] = nodes
  if (service === undefined) throw new Error('There is no service.')
  const rowOf = (txn: string) => dbRow(service, 'select * from charges where id = $1', [txn])

  async function advance(seconds: number): Promise<void> {
    await service?.clock.advance(seconds)
    await Promise.all(nodes.slice(1).map(({ clock }) => clock.refresh()))
  }

  /** To `seconds` after the end of the credential; nothing was done about it yet. */
  async function passLapse(txn: string, seconds = 1): Promise<Date> {
    const { lapses_at } = await rowOf(txn)
    await advance(Math.ceil((lapses_at.getTime() - (service?.clock.now().getTime() ?? 0)) / 1000) + seconds)
    return lapses_at
  }

  return {
    rowOf,
    advance,
    passLapse,
    async lapse(txn: string, seconds = 1): Promise<Date> {
      const at = await passLapse(txn, seconds)
      await service.runJobs()
      return at
    },
    /** A charge of 25.00. */
    async charged(body: Record<string, unknown> = {}, terms: Parameters<typeof chargeable>[2] = {}, from = owner) {
      const id = await chargeable(service, from, { frequency: 'yearly', ...terms })
      const made = await charge(merchant, id, body)
      return { id, made, txn: made.body.transactionId as string }
    },
    /** The events of a charge, in the order of their versions. */
    async typesOf(id: string): Promise<string[]> {
      const events = (await eventBodies(service, id)).map((body) => JSON.parse(body))
      return events.map((event) => `${event.resource.version} ${event.type}`)
    },
  }
}
