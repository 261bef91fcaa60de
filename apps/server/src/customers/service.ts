export type { CustomerRef } from './ref.ts'
export { lockCustomer } from './store.ts'
