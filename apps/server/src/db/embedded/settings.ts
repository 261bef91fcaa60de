/**
 * Server settings, passed on the command line: the data directory keeps initdb's files untouched, and a new release
 * brings its settings with it. Durability settings are PostgreSQL's defaults, all on.
 */
export function serverSettings(socketDirectories: string, extra: Record<string, string> = {}): string[] {
  const settings: Record<string, string> = {
    ...access,
    unix_socket_directories: socketDirectories,
    ...smallMachine,
    ...discreetLog,
    ...extra,
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Names the socket file; nothing listens on TCP. */
export const socketPort = 5432

const access = Object.freeze({
  listen_addresses: '',
  port: String(socketPort),
  unix_socket_permissions: '0700',
  max_connections: '100',
})

const smallMachine = Object.freeze({
  cluster_name: 'mintmark',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  // Short statements only: compiling them costs more than it gives.
  jit: 'off',
  // Three worker processes fewer; asynchronous reads pay off on big scans.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
})

/**
 * No value of a statement may reach the log: not as a parameter, not as a failing statement, and not inside an error's
 * own text ("invalid input syntax … '4111…'"). So errors of statements are not logged at all, the service gets them;
 * `log` ranks above `error` here and keeps start, stop, recovery and crashes.
 */
const discreetLog = Object.freeze({
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
})
