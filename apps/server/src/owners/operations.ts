import type { CustomerRef } from '../customers/service.ts'
import type { Change } from '../db/command.ts'
import * as store from './store.ts'

/** An owner who is forgotten is called nothing any more, and signed out, in the transaction of that. */
export async function forgetOwner({ tx }: Pick<Change, 'tx'>, owner: CustomerRef): Promise<void> {
  await store.deleteOwner(tx, owner)
}
