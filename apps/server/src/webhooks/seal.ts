import { isUntouched, type RowSeals, type SealedRow } from '../platform/row-seals.ts'

/**
 * What must not be edited of an endpoint: where it is, which address that has been verified, whether it is sent to, and whether the secret
 * of the account signs. A secret of its own opens in its own row alone. One that is deleted has no seal: brought back it is no endpoint.
 */
export interface SealedDestination {
  merchantId: string
  id: string
  url: string
  revision: number
  verifiedAt: Date | null
  enabled: boolean
  isAccount: boolean
}

function sealedDestination({ merchantId, id, ...endpoint }: SealedDestination): SealedRow {
  const { url, revision, verifiedAt, enabled, isAccount } = endpoint
  const parts = [url, revision, verifiedAt?.getTime() ?? null, Number(enabled), Number(isAccount)]
  return { table: 'webhook_endpoints', merchantId, id, parts }
}

interface Sealing {
  seals: RowSeals
}
type Stored = Omit<SealedDestination, 'merchantId'> & { seal: Buffer | null }

export function destinationSeal({ seals }: Sealing, endpoint: SealedDestination): Buffer {
  return seals.seal(sealedDestination(endpoint))
}

/** Returns the endpoint. Throws `RowTampered` for one that an editor of the database has changed. */
export function checkedDestination<Row extends Stored>({ seals }: Sealing, merchantId: string, row: Row): Row {
  const { seal, ...endpoint } = row
  seals.check(sealedDestination({ ...endpoint, merchantId }), seal)
  return row
}

/** False for an endpoint that an editor of the database has changed, with an alarm. */
export function isOwnDestination(deps: Sealing, merchantId: string, row: Stored): boolean {
  return isUntouched(() => checkedDestination(deps, merchantId, row))
}
