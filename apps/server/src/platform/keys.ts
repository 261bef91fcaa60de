import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Environment } from '@mintmark/contract'
import { createKeyFile, readKeyFile } from './key-file.ts'
import { type Secret, secret } from './secret.ts'

/** Where the root key is: under the program's home, or in a file the operator names. */
export type RootKeyPlace = { home: string } | { file: string }

/**
 * Reads the root key: 32 bytes that every other key comes from. With `createIfMissing` the first caller creates it.
 * Production passes false, and so does everyone beside a database with data: there a missing file is a mistake of the
 * operator, and a new key would open nothing in the database.
 */
export async function loadRootKey(options: RootKeyPlace & { createIfMissing: boolean }): Promise<Secret<Buffer>> {
  const file = rootKeyFile(options)
  const present = await readKeyFile(file, 'root key')
  if (present !== undefined) return present
  if (!options.createIfMissing) {
    throw new Error(
      `The root key file ${file} is missing. Restore it from its backup, or name it with ROOT_KEY_FILE; ` +
        'no other key opens the data.',
    )
  }
  await createRootKey(file)
  const created = await readKeyFile(file, 'root key')
  if (created === undefined) throw new Error(`The root key file ${file} vanished while it was being created.`)
  return created
}

export function rootKeyFile(place: RootKeyPlace): string {
  return 'file' in place ? place.file : join(place.home, 'keys', 'root.key')
}

async function createRootKey(file: string): Promise<void> {
  const bytes = randomBytes(32)
  try {
    await createKeyFile(file, bytes)
  } finally {
    bytes.fill(0)
  }
}

/**
 * What each derived key is for. The labels are part of the data: changing one makes every key hash, fingerprint or
 * token made with it unusable (pinned in `keys.test.ts`).
 */
const LABELS = {
  apiKeys: 'api-keys',
  fingerprints: 'fingerprints',
  sessionTokens: 'session-tokens',
  visitTokens: 'visit-tokens',
  launchSecrets: 'launch-secrets',
  simulatedNetwork: 'simulated-network',
  softwareAuthenticator: 'software-authenticator',
  rowSeals: 'row-seals',
  backups: 'backups',
  feedCursors: 'feed-cursors',
  contactLinks: 'contact-links',
  storedResponses: 'stored-responses',
  agentOwners: 'agent-owners',
  agentDirectory: 'agent-directory',
  agentTickets: 'agent-tickets',
  oauthEntries: 'oauth-entries',
  oauthCookies: 'oauth-cookies',
  oauthSigning: 'oauth-signing',
  toolStates: 'tool-states',
  receiptSubjects: 'receipt-subjects',
} as const

export type DerivedKeys = { [Use in keyof typeof LABELS]: Secret<Buffer> }

/** One independent key for each use, by HKDF-SHA256: a leaked key reveals nothing about another one or the root. */
export function deriveKeys(root: Secret<Buffer>): DerivedKeys {
  const derive = (label: string) =>
    secret(Buffer.from(hkdfSync('sha256', root.reveal(), Buffer.alloc(0), `mintmark/v1/${label}`, 32)))
  return Object.freeze({
    apiKeys: derive(LABELS.apiKeys),
    fingerprints: derive(LABELS.fingerprints),
    sessionTokens: derive(LABELS.sessionTokens),
    visitTokens: derive(LABELS.visitTokens),
    launchSecrets: derive(LABELS.launchSecrets),
    simulatedNetwork: derive(LABELS.simulatedNetwork),
    softwareAuthenticator: derive(LABELS.softwareAuthenticator),
    rowSeals: derive(LABELS.rowSeals),
    backups: derive(LABELS.backups),
    feedCursors: derive(LABELS.feedCursors),
    contactLinks: derive(LABELS.contactLinks),
    storedResponses: derive(LABELS.storedResponses),
    agentOwners: derive(LABELS.agentOwners),
    agentDirectory: derive(LABELS.agentDirectory),
    agentTickets: derive(LABELS.agentTickets),
    oauthEntries: derive(LABELS.oauthEntries),
    oauthCookies: derive(LABELS.oauthCookies),
    oauthSigning: derive(LABELS.oauthSigning),
    toolStates: derive(LABELS.toolStates),
    receiptSubjects: derive(LABELS.receiptSubjects),
  })
}

/**
 * What a database keeps to recognise its root key and its environment: a keyed hash, under a key that is used for
 * nothing else. The label and the texts are part of the data, as above.
 */
export function rootKeyCheck(root: Secret<Buffer>, environment: Environment): Buffer {
  const key = Buffer.from(hkdfSync('sha256', root.reveal(), Buffer.alloc(0), 'mintmark/v1/root-key-check', 32))
  return createHmac('sha256', key).update(CHECKED[environment]).digest()
}

const CHECKED: Readonly<Record<Environment, string>> = {
  sandbox: 'root key of this database',
  production: 'root key of this database, in production',
}
