export { openWallet } from './open.ts'
