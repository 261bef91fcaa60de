import { isRecord } from '../../platform/json.ts'
import { ok } from '../answers.ts'
import type { ChargeNews, NetworkEvents, NetworkFact, NetworkMessage, ReceivedMessage } from '../events-port.ts'
import type { SimulatorDeps } from './deps.ts'
import * as store from './facts-store.ts'

// What the simulated network tells of payments by itself. It sends its messages inside the process.

const SIGNATURE = 'simnet-signature'

/** A message as the network sends it. */
export function messageOf({ cipher }: Pick<SimulatorDeps, 'cipher'>, news: ChargeNews): NetworkMessage {
  const body = Buffer.from(JSON.stringify({ charge_id: news.chargeId, mandate_id: news.mandateId }))
  return { body, headers: { [SIGNATURE]: cipher.sign(body) } }
}

export function createSimulatedEvents(deps: SimulatorDeps): NetworkEvents {
  return {
    receive: async (message) => receive(deps, message),
    async observed({ chargeId }) {
      const rows = await store.listFacts(deps.pool, { chargeId })
      return ok({ facts: rows.map(factOf) })
    },
    async listNews({ since }) {
      return ok({ news: await store.listNews(deps.pool, { since }) })
    },
  }
}

function receive({ cipher }: SimulatorDeps, { body, headers }: NetworkMessage): ReceivedMessage {
  const signature = headers[SIGNATURE]
  if (typeof signature !== 'string' || !cipher.isSigned(body, signature)) return { outcome: 'refused' }
  const told: unknown = JSON.parse(body.toString('utf8'))
  if (!isRecord(told)) return { outcome: 'refused' }
  const { charge_id: chargeId, mandate_id: mandateId } = told
  if (typeof chargeId !== 'string' || typeof mandateId !== 'string') return { outcome: 'refused' }
  return { outcome: 'ok', value: { news: [{ chargeId, mandateId }] } }
}

type FactRow = Awaited<ReturnType<typeof store.listFacts>>[number]

function factOf({ currency, amountMinor, merchantHost, ...fact }: FactRow): NetworkFact {
  return { ...fact, amount: { minor: amountMinor, currency }, merchant: merchantHost }
}
