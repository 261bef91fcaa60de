import type { BrandedNames } from '@mintmark/contract'
import type { CardholderService } from '../cardholder/service.ts'
import { type HealthDeps, healthRoutes } from '../http/health.ts'
import type { Route } from '../http/route.ts'
import { type SandboxRouteDeps, sandboxRoutes } from '../sandbox/routes.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import type { SessionService } from '../sessions/service.ts'
import { surfaceRoutes } from './surface/routes.ts'

export interface RouteTableDeps extends SandboxRouteDeps, HealthDeps {
  sessions: SessionService
  cardholder: CardholderService
  brand: BrandedNames
}

/** The rows of every host: the one list that the hosts, the documentation and the table tests are made from. */
export function routeTables(deps: RouteTableDeps): { api: readonly Route[]; surface: readonly Route[] } {
  const health = healthRoutes(deps)
  return {
    api: [...sessionRoutes(deps.sessions, deps.clock, deps.brand), ...sandboxRoutes(deps), ...health],
    surface: [...surfaceRoutes(deps.cardholder), ...health],
  }
}
