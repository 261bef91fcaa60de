import type { Job } from '../../jobs/loop.ts'
import { walkJob } from '../../jobs/walk.ts'
import type { CartService } from './service.ts'

export function cartJobs(carts: CartService): Job[] {
  return [
    { name: 'carts.abandon', restMillis: 60_000, run: () => carts.abandonDue(100) },
    walkJob('carts.delete_abandoned', '', carts.deleteAbandoned),
  ]
}
