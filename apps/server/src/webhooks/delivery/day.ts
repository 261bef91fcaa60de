import { dayOf } from '../../db/partitions.ts'
import { idTime } from '../../platform/ids.ts'

/** The value of the column `day` of a delivery, which its id carries. Reading it by its id touches one partition. */
export function deliveryDay(id: string): string {
  return dayOf(idTime('delivery', id))
}

/** The days of some deliveries, each once. */
export function deliveryDays(ids: readonly string[]): string[] {
  return [...new Set(ids.map(deliveryDay))]
}
