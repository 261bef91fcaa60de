import { type KeyObject, sign } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { AGENT_KEY_CHANGE } from '@mintmark/contract/agents'
import { type ExitCode, Failure } from '../failure.ts'
import { makeKey, publicPart, readKey, thumbprintOf } from './key.ts'
import { clientOf, type Linked, linkedAgent } from './linked.ts'
import type { Screen } from './screen.ts'

/**
 * Changes the agent's key. The new one is on the disk before the server hears of it, so that a change that is cut off anywhere is
 * finished by the next run, with the same new key.
 */
export async function rotateKey({ oldKeySeconds }: { oldKeySeconds?: number }, screen: Screen): Promise<ExitCode> {
  const linked = await linkedAgent(screen)
  const { home, state } = linked
  const begun = await readKey(home.nextKeyFile)
  const next = begun ?? (await makeKey(home.nextKeyFile))
  const isDone = begun !== undefined && (await isKnown(screen, linked, next))
  const old_key_valid_until = isDone ? null : await change(linked, next, oldKeySeconds)
  await rename(home.nextKeyFile, home.keyFile)
  const key_thumbprint = thumbprintOf(next)
  screen.show({ agent_id: state.agent_id, key_thumbprint, old_key_valid_until }, [
    `The key is changed: ${key_thumbprint}`,
    old_key_valid_until === null
      ? 'The server had it from the run before.'
      : `The old one goes on until ${old_key_valid_until}`,
  ])
  return 0
}

async function change(
  { client, key, state }: Linked,
  next: KeyObject,
  oldKeySeconds: number | undefined,
): Promise<string> {
  const lines = [AGENT_KEY_CHANGE, state.agent_id, thumbprintOf(key), thumbprintOf(next)].join('\n')
  const { old_key_valid_until } = await client.changeKey({
    public_key: publicPart(next),
    proof: sign(null, Buffer.from(lines), next).toString('base64'),
    ...(oldKeySeconds === undefined ? {} : { old_key_seconds: oldKeySeconds }),
  })
  return old_key_valid_until
}

/** Whether the server has the new key from a run that did not hear of it. */
async function isKnown(screen: Screen, { state }: Linked, next: KeyObject): Promise<boolean> {
  try {
    await clientOf(screen, state.api_url, next, state.agent_id).me()
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'AUTH_REQUIRED') return false
    throw error
  }
}
