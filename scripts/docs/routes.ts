import { brandedNames } from '@mintmark/contract'
import { type RouteTableDeps, routeTables } from '../../apps/server/src/hosts/routes.ts'

export const BRAND = brandedNames('network')

/** The rows of every host without anything behind them: only what rows say of themselves is read. */
export const bareRoutes = () => routeTables({ brand: BRAND, readiness: {} } as RouteTableDeps)
