import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DemoKey } from '../http/api-reference.ts'
import { secret } from '../platform/secret.ts'

/**
 * A key of the sandbox's demo merchant, as the first start has written it; null: the file is not there, or not as it
 * was written.
 */
export async function readDemoKey(
  home: string,
  { field, scheme }: { field: 'secret_key' | 'wallet_api_key'; scheme: string },
): Promise<DemoKey | null> {
  try {
    const key: unknown = JSON.parse(await readFile(join(home, 'dev.json'), 'utf8'))[field]
    return typeof key === 'string' ? { scheme, token: secret(key) } : null
  } catch {
    return null
  }
}
