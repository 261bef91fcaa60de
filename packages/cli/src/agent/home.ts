import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../failure.ts'
import { apiAddress } from './address.ts'

// What an agent keeps on this machine: its key, and who it is. Both are for its user alone.

/** A link that its owner has not answered. */
export interface PendingLink {
  id: string
  url: string
  expires_at: string
}

/** Which agent it is. Nothing in it is secret. */
export interface AgentState {
  api_url: string
  /** Null: it is not linked. */
  agent_id: string | null
  link: PendingLink | null
}

export interface AgentHome {
  folder: string
  keyFile: string
  /** The key that a change of keys has begun with. */
  nextKeyFile: string
  stateFile: string
}

export function agentHome(named: string | undefined, env: NodeJS.ProcessEnv): AgentHome {
  // As the XDG Base Directory Specification says: a relative path is none.
  const config = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME || homedir(), '.config')
  const folder = named || join(config, 'mintmark')
  return {
    folder,
    keyFile: join(folder, 'agent.key'),
    nextKeyFile: join(folder, 'agent.key.next'),
    stateFile: join(folder, 'agent.json'),
  }
}

export async function makeFolder({ folder }: AgentHome): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(notUsable(folder))
}

/** Undefined: there is none. It says where the key signs, so it is judged as the key is: a user who changes it sends the signatures elsewhere. */
export async function readState({ stateFile }: AgentHome): Promise<AgentState | undefined> {
  const text = await readOwnFile(stateFile, 'STATE_FILE_OPEN')
  if (text === undefined) return undefined
  const { api_url, agent_id = null, link = null } = stateIn(text)
  if (typeof api_url === 'string') return { api_url: apiAddress(api_url, ` in ${stateFile}`), agent_id, link }
  throw new Failure(
    'STATE_UNREADABLE',
    `${stateFile} is not what this program wrote. Move it away, or name another --home.`,
  )
}

function stateIn(text: string): Partial<AgentState> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Whole or not at all: it is written under another name, and renamed. */
export async function writeState({ stateFile }: AgentHome, state: AgentState): Promise<void> {
  const draft = `${stateFile}.${process.pid}`
  const file = await createFile(draft)
  try {
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`)
    await file.sync()
    await rename(draft, stateFile)
  } catch (error) {
    await rm(draft, { force: true })
    return notUsable(stateFile)(error as NodeJS.ErrnoException)
  } finally {
    await file.close()
  }
}

/** A new file, for this user alone. What is there already, also as a link, a pipe or a terminal, is never written to. */
export async function createFile(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new Failure('FILE_EXISTS', `${path} is there already, and is not overwritten.`)
    return notUsable(path)(error)
  })
}

/** Undefined: there is none. One that others can read or write is refused, one that is a link, and what is no file. */
export async function readOwnFile(
  path: string,
  refusal: 'KEY_FILE_OPEN' | 'STATE_FILE_OPEN',
): Promise<string | undefined> {
  // A pipe is not waited for: it is refused below.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    return notUsable(path)(error)
  })
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile()) throw new Failure('FILE_UNUSABLE', `${path} cannot be used (it is no file).`)
    const { mode, uid } = found
    const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
    if (!isOurs)
      throw new Failure(refusal, `Others can read or change ${path}, or it is theirs. Make it yours alone: chmod 600.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

function notUsable(path: string) {
  return ({ code }: NodeJS.ErrnoException): never => {
    const reason = code === 'ELOOP' ? 'it is a link to another file' : (code ?? 'it failed')
    throw new Failure('FILE_UNUSABLE', `${path} cannot be used (${reason}).`)
  }
}
