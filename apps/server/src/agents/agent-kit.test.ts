// Guarantee: the service itself takes and refuses the requests of the kit, each for the reason that the kit names (faults G3).
import { runAgentKit } from '@mintmark/contract/agent-kit/run'
import { sendRequest } from '@mintmark/contract/agent-kit/send'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { linkedAgent } from '../../test/agents.ts'
import { startTestService, type TestService } from '../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service?.close())
// Cases that are seconds from a limit are judged by a time that stands still for both sides, and not by a busy machine.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  service.clock.unmoved = () => new Date()
})
afterEach(() => void vi.useRealTimers())

test('every case of the kit', async () => {
  const { agentId, privateKey } = await linkedAgent(service)
  // A body that is refused once it is known who asks: nothing is changed by it.
  const write = { target: '/v1/agents/me/keys', body: '{}' }
  // The header `Date` goes on.
  const send = async (...sent: Parameters<typeof sendRequest>) => ({ ...(await sendRequest(...sent)), date: undefined })
  const results = await runAgentKit({ url: service.apiUrl, keyId: agentId, privateKey, write, send })
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(results.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(60)
})
