import type { Obstacle } from '../retries.ts'
import type { Screen } from '../screen.ts'
import { errorScreen } from './error.ts'
import { offline } from './offline.ts'
import { rateLimited } from './rate-limited.ts'

/** Lies over a screen while its call waits for the next try; `again` starts that try. */
export function obstacleScreen(obstacle: Obstacle, again: () => void): Screen {
  switch (obstacle.kind) {
    case 'offline':
      return offline(obstacle.attempt, again)
    case 'wait':
      return rateLimited(obstacle.seconds, again)
    case 'retry':
      return errorScreen(obstacle.text, obstacle.reference, again)
  }
}
