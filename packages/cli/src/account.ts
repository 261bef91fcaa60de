import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The account that a command acts for. */
export interface Account {
  apiUrl: string
  secretKey: string
}

/** The key and address to use. A key is never a word of the command: other users of the machine can read those. */
export async function readAccount(env: NodeJS.ProcessEnv): Promise<Account> {
  const file = join(env.MINTMARK_HOME || '.mintmark', 'dev.json')
  const needsFile = !env.MINTMARK_SECRET_KEY || !env.MINTMARK_API_URL
  const dev = needsFile ? await readDevFile(file) : undefined
  const secretKey = (env.MINTMARK_SECRET_KEY || dev?.secret_key)?.trim()
  const apiUrl = env.MINTMARK_API_URL || dev?.api_url
  if (secretKey === undefined || apiUrl === undefined) {
    const variables = Object.entries({ MINTMARK_SECRET_KEY: secretKey, MINTMARK_API_URL: apiUrl })
    const missing = variables.flatMap(([name, value]) => (value === undefined ? [name] : []))
    throw new Error(
      `There is no ${file}. Start a sandbox with "npm start" and run this in the same directory, set MINTMARK_HOME to its ` +
        `home, or set ${missing.join(' and ')}.`,
    )
  }
  if (!URL.canParse(apiUrl) || !/^https?:$/.test(new URL(apiUrl).protocol))
    throw new Error('MINTMARK_API_URL is no URL. It looks like http://localhost:4000.')
  // What is behind it would be no part of a header: fetch refuses that in words that show the key.
  if (!/^sk_test_[\w-]+$/.test(secretKey)) throw new Error(wrongKey(secretKey))
  return { apiUrl: apiUrl.replace(/\/+$/, ''), secretKey }
}

function wrongKey(key: string): string {
  const name = 'MINTMARK_SECRET_KEY'
  if (key.startsWith('sk_live_'))
    return `This is for sandboxes, and ${name} is a key of production (sk_live_…). Use one that begins with sk_test_.`
  return `${name} is no secret key of a sandbox: that is one word, and begins with sk_test_.`
}

interface DevFile {
  api_url?: string
  secret_key?: string
}

async function readDevFile(path: string): Promise<DevFile | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new Error(`${path} cannot be read (${error.code}).`, { cause: error })
  })
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as DevFile
  } catch (cause) {
    throw new Error(`${path} is not JSON. A start of the service ("npm start") writes it anew.`, { cause })
  }
}
