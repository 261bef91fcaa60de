import { AdvanceBody, AdvanceResponse } from '@mintmark/contract/wire/sandbox'
import type { ConsoleService } from '../../console/service.ts'
import type { DatabaseClock } from '../../db/clock.ts'
import { type Route, route } from '../../http/route.ts'
import { invalidFields } from '../../platform/errors.ts'
import { advanceClock } from '../../sandbox/clock.ts'
import { DEVELOPER, READ } from './common.ts'

/** The time of a sandbox, which the test helpers of the API move as well. Production has none of it. */
export function consoleSandboxRoutes({
  console: people,
  clock,
}: {
  console: ConsoleService
  clock: DatabaseClock
}): Route[] {
  const place = { path: '/api/sandbox/clock', environment: 'sandbox', response: AdvanceResponse } as const
  return [
    route({
      ...{ ...READ, ...place },
      operationId: 'getConsoleClock',
      summary: "The sandbox's time",
      errors: [],
      handler: async () => ({ now: clock.now().toISOString() }),
    }),
    route({
      ...{ ...DEVELOPER, ...place },
      operationId: 'advanceConsoleClock',
      summary: "Move the sandbox's clock forward",
      body: AdvanceBody,
      errors: [invalidFields],
      async handler({ caller, body }) {
        const moved = await advanceClock(clock, body.seconds)
        await people.noteAct(caller, 'clock_moved', moved.now)
        return moved
      },
    }),
  ]
}
