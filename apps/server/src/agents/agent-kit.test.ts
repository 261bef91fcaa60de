// Guarantee: the service itself takes and refuses the requests of the kit, each for the reason that the kit names
// (faults G3).
import { runAgentKit } from '@mintmark/contract/agent-kit/run'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkedAgent } from '../../test/agents.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())

test('every case of the kit', async () => {
  const { agentId, privateKey } = await linkedAgent(service)
  // A body that is refused once it is known who asks: nothing is changed by it.
  const write = { target: '/v1/agents/me/keys', body: '{}' }
  const results = await runAgentKit({ url: service.apiUrl, keyId: agentId, privateKey, write })
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(results.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(60)
})
