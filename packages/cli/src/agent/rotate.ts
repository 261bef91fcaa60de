import type { KeyObject } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { type ExitCode, Failure } from '../failure.ts'
import { answered } from './client.ts'
import { makeKey, readKey, thumbprintOf } from './key.ts'
import { agentOf, type Linked, linkedAgent } from './linked.ts'
import type { Screen } from './screen.ts'

/**
 * Changes the agent's key. The new one is on the disk before the server hears of it, so that a change that is cut off
 * anywhere is finished by the next run, with the same new key.
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

async function change({ agent }: Linked, key: KeyObject, oldKeySeconds: number | undefined): Promise<string> {
  const changed = agent.me.changeKey({ key, oldKeySeconds })
  return (await answered(changed, ['old_key_valid_until'])).old_key_valid_until
}

/**
 * Whether the server has the new key from a run that did not hear of it. By its thumbprint: the id would name the old
 * one.
 */
async function isKnown(screen: Screen, { state }: Linked, next: KeyObject): Promise<boolean> {
  try {
    await answered(agentOf(screen, state.api_url, next).me.get(), ['agent_id'])
    return true
  } catch (error) {
    if (error instanceof Failure && error.code === 'KEY_UNKNOWN') return false
    throw error
  }
}
