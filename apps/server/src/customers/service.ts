export type { CustomerRef } from './ref.ts'
export { findCustomerId } from './store.ts'
