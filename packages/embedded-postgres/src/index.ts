export { postgresBinaries } from './binaries.ts'
export { EmbeddedPostgresError } from './errors.ts'
export { HomeInUseError } from './home-lock.ts'
export {
  type EmbeddedConnection,
  type EmbeddedOptions,
  type EmbeddedPostgres,
  hasDatabase,
  runningConnection,
  startEmbedded,
} from './server.ts'
