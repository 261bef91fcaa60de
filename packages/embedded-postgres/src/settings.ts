/**
 * Server settings, passed on the command line: the data directory keeps initdb's files untouched, and a new release
 * brings its settings with it. The durability settings are PostgreSQL's defaults, all on.
 */
export function serverSettings(
  name: string,
  socketDirectories: string,
  files: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>> = {},
): string[] {
  const settings: Record<string, string> = {
    ...ACCESS,
    ...files,
    unix_socket_directories: socketDirectories,
    cluster_name: name,
    ...SMALL_MACHINE,
    ...DISCREET_LOG,
    ...extra,
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Part of the socket's file name. Nothing listens on TCP. */
export const SOCKET_PORT = 5432

const ACCESS = {
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_permissions: '0700',
  max_connections: '100',
} as const

const SMALL_MACHINE = {
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  // Short statements only: compiling them costs more than it saves.
  jit: 'off',
  // Three worker processes fewer. Asynchronous reads are worth their cost on big scans only.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
} as const

/**
 * No value of a statement may reach the log: not as a parameter, not as a failing statement, and not inside an error's
 * own text ("invalid input syntax … '4111…'"). So errors of statements are not logged at all; the client gets them.
 * `log` ranks above `error` here and keeps start, stop, recovery and crashes.
 */
const DISCREET_LOG = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
} as const
