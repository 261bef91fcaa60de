import { brandedNames } from '@mintmark/contract'
import { type RouteTableDeps, routeTables } from '../../apps/server/src/hosts/routes.ts'

export const BRAND = brandedNames('network')

/** What only pages and probes call. */
const WITHOUT = new Set(['Health'])

/** What the SDK calls. */
export const sdkRoutes = () => bareRoutes().api.filter(({ tag }) => !WITHOUT.has(tag))

/** The rows of every host without anything behind them: only what rows say of themselves is read. */
export const bareRoutes = () => routeTables({ brand: BRAND, readiness: {} } as RouteTableDeps)
