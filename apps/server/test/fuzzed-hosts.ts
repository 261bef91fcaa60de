import { ERROR_CODES, WALLET_ERROR_CODES } from '@mintmark/contract'
import type { Route } from '../src/http/route.ts'
import type { TestService } from './service.ts'

export interface Host {
  name: string
  base: string
  rows: readonly Route[]
  codes: object
  /** What an error has besides what all have. */
  isOfError: readonly string[]
}

const plain = (name: string, base: string, rows: readonly Route[]): Host => ({
  ...{ name, base, rows, codes: ERROR_CODES, isOfError: [] },
})

/** Every host of the program, with its rows. */
export const fuzzedHosts = ({ app, ...at }: TestService): readonly Host[] => [
  plain('main API', at.apiUrl, app.apiRoutes),
  { ...plain('wallet API', at.walletUrl, app.walletRoutes), codes: WALLET_ERROR_CODES, isOfError: ['request_id'] },
  plain('surface', at.surfaceUrl, app.surfaceRoutes),
  plain('owners', at.ownerUrl, app.ownerRoutes),
  plain('console', at.consoleUrl, app.consoleRoutes),
]
