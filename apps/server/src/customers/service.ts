export type { CustomerRef } from './ref.ts'
export { findCustomerId, lockCustomer } from './store.ts'
