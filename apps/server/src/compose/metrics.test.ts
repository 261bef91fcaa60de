import { EGRESS_FAILURES } from '@mintmark/contract'
import { expect, test } from 'vitest'
import { createDoor } from '../http/door.ts'
import { createLog } from '../platform/log.ts'
import { createMetricsRegistry } from '../platform/metrics-registry.ts'
import { type SendResult, verdictOf } from '../webhooks/delivery/rules.ts'
import { countedJobs, countedSend, refusalCounter } from './metrics.ts'

const answered = (status: number): SendResult => ({ kind: 'answered', status, headers: { retryAfter: null } })

test('a try is counted by what deliveries make of it', async () => {
  const registry = createMetricsRegistry()
  const results = [
    ...Array.from({ length: 400 }, (_, index) => answered(200 + index)),
    ...EGRESS_FAILURES.map((category): SendResult => ({ kind: 'failed', category })),
  ]
  const expected: Record<string, number> = {}
  for (const result of results) {
    const category = verdictOf(result).category ?? 'acknowledged'
    expected[category] = (expected[category] ?? 0) + 1
  }
  const send = countedSend(registry.metrics, async (result: SendResult) => result)
  for (const result of results) expect(await send(result)).toBe(result)
  const text = await registry.render()
  const counted = [...text.matchAll(/^mintmark_webhook_attempts_total\{category="(\w+)"\} (\d+)$/gm)]
  expect(Object.fromEntries(counted.map(([, category, count]) => [category, Number(count)]))).toEqual(expected)
})

test('a job that fails is counted, and fails', async () => {
  const registry = createMetricsRegistry()
  const broken = { name: 'toy.broken', run: () => Promise.reject(new Error('broken')) }
  const [job] = countedJobs(registry.metrics, [broken])
  await expect(job?.run()).rejects.toThrow('broken')
  expect(await registry.render()).toContain('mintmark_job_runs_total{job="toy.broken",outcome="failed"} 1')
})

test('what the door turned away is a counter, and zero from the start', async () => {
  const registry = createMetricsRegistry()
  const count = refusalCounter(registry.metrics)
  expect(await registry.render()).toContain(
    '# TYPE mintmark_door_refused_total counter\nmintmark_door_refused_total 0\n',
  )
  const door = createDoor({ places: 1, waiting: 0, log: createLog({ level: 'silent' }), onRefused: count })
  const answers: boolean[] = []
  const arrival = { goesOn: false, begins: false, key: 'x', isAnonymous: false, isStranger: false }
  for (let request = 0; request < 3; request += 1) door.enter(door.arrive(arrival), (isIn) => answers.push(isIn))
  expect(answers).toEqual([true, false, false])
  expect(await registry.render()).toContain('mintmark_door_refused_total 2\n')
})
