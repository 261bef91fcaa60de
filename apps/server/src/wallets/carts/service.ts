export { type LockedCart, lockCart, markOrdered } from './order.ts'
export type { CartRef } from './ref.ts'
