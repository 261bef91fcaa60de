import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from './account.ts'
import { type HomePaths, writeDurably } from './paths.ts'

// The server's configuration is not in its data directory: a process that can write there could else change who may connect,
// and have it read again. It belongs to the user that starts the service; the account PostgreSQL runs as only reads it.

const FILES = {
  config_file: ['postgresql.conf', '# All settings are given on the command line.\n'],
  // Only over the socket, and only with the password.
  hba_file: ['pg_hba.conf', 'local all all scram-sha-256\n'],
  ident_file: ['pg_ident.conf', ''],
} as const

/** In the server: standard input, output and error come before it. */
const CONFIGURATION_FD = 3

/** Writes the files anew at each start. Returns the settings that name them. */
export async function writeConfiguration(
  paths: HomePaths,
  account: Account | undefined,
): Promise<Record<keyof typeof FILES, string>> {
  await mkdir(paths.config, { recursive: true })
  await chmod(paths.config, account ? 0o711 : 0o700)
  const settings: [string, string][] = []
  for (const [setting, [name, text]] of Object.entries(FILES)) {
    await writeDurably(join(paths.config, name), text)
    await chmod(join(paths.config, name), account ? 0o644 : 0o600)
    settings.push([setting, `${seenAs(paths, account)}/${name}`])
  }
  return Object.fromEntries(settings) as Record<keyof typeof FILES, string>
}

/**
 * The account may not be allowed to enter the directories above. It gets the directory as an open file, whose link in
 * /proc needs no permission. (The working directory serves the data in that way, but PostgreSQL resolves `..` by text.)
 */
function seenAs(paths: HomePaths, account: Account | undefined): string {
  return account && process.platform === 'linux' ? `/proc/self/fd/${CONFIGURATION_FD}` : paths.config
}
