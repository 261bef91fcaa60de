import { Pool } from 'pg'
import { createScriptedShop, type ScriptedShop } from '../../src/checkout/purchases/testing/scripted-shop.ts'
import { createLog } from '../../src/platform/log.ts'
import { networkOf } from '../flows.ts'
import { startTestService, type TestService } from '../service.ts'

/** Two nodes on one database that buy at one shop, and connections of the test's own, which it does not end. */
export interface World {
  nodes: readonly [TestService, TestService]
  shop: ScriptedShop
  shopId: string
  own: Pool
  /** What an operator would be told of edited rows. */
  alarms: readonly string[]
  /** Both nodes know the new time. */
  advance(seconds: number): Promise<void>
  /** Background work of both nodes until none has any. */
  runJobs(): Promise<void>
  close(): Promise<void>
}

const SHOP = { name: 'Tea House', url: 'https://tea.example', country: 'US', adapter: 'native' } as const
const env = { NETWORK_TIMEOUT_MS: '1000', RATE_LIMIT_SURFACE_SECRET_ENTRY: '10000', RATE_LIMIT_ENROLLMENT: '10000' }

export async function startWorld(): Promise<World> {
  const shop = createScriptedShop(({ credential, total }) =>
    networkOf(first).authorize({ ...credential, amount: total, merchantUrl: SHOP.url }),
  )
  const alarms: string[] = []
  const note = (line: string) => void (line.includes('row_tampered') && alarms.push(line))
  const log = createLog({ level: 'error', destination: { write: note } })
  const options = { env, log, createCheckout: () => shop }
  const first = await startTestService(options)
  const second = await startTestService({ ...options, database: first.database })
  const { id: shopId } = await first.app.shops.add({ ...SHOP, baseUrl: 'https://tea.example/api' }, null)
  const own = new Pool({ ...first.database.connection, application_name: 'mintmark-tests', max: 2 })
  const nodes = [first, second] as const
  return {
    ...{ nodes, shop, shopId, own, alarms },
    async advance(seconds) {
      await first.clock.advance(seconds)
      await second.clock.refresh()
    },
    async runJobs() {
      for (const node of nodes) await node.runJobs()
    },
    async close() {
      await own.end()
      await second.close()
      await first.close()
    },
  }
}
