import type { CommandDeps } from '../../db/command.ts'
import type { RowSeals } from '../../platform/row-seals.ts'
import type { ShopService } from '../shops/service.ts'

export interface QuoteDeps extends Pick<CommandDeps, 'pool' | 'clock'> {
  seals: RowSeals
  shops: Pick<ShopService, 'find' | 'listActive' | 'search' | 'product' | 'quote' | 'isSilent'>
}

export interface QuoteRef {
  merchantId: string
  quoteId: string
  /** The owner whose agent asks; another owner's quote is not found then. */
  ownerId?: string | null
}
