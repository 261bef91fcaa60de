import type { KeyObject } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { type Delivery, type EncryptedPayload, openPayload } from '@mintmark/node'
import { Failure } from '../failure.ts'
import { createFile } from './home.ts'

/**
 * A file that a card goes into. It is made before anything is charged, so that no card comes for which there is no
 * place.
 */
export interface CardFile {
  /** Opens the payload and writes down what is in it. */
  keepCard(payload: EncryptedPayload, key: KeyObject): Promise<void>
  /** Writes down a shop's own token, which pays as a card does. */
  keepToken(delivery: Delivery): Promise<void>
  /** Removes the file where no card came. */
  close(): Promise<void>
}

export async function makeCardFile(path: string): Promise<CardFile> {
  if (path === '-') throw new Failure('FILE_UNUSABLE', 'A card goes into a file, and never to standard output.')
  const file = await createFile(path)
  let hasCard = false
  const write = async (content: object) => {
    await file.writeFile(`${JSON.stringify(content, null, 2)}\n`)
    await file.sync()
    hasCard = true
  }
  return {
    keepCard: async (payload, key) => write(openCard(payload, key)),
    keepToken: write,
    async close() {
      await file.close()
      if (!hasCard) await rm(path, { force: true })
    },
  }
}

function openCard(payload: EncryptedPayload, key: KeyObject) {
  try {
    return openPayload(payload, key)
  } catch {
    // Without the cause: it may say what was opened.
    throw new Failure('CARD_UNREADABLE', 'The card does not open with the key of this agent.')
  }
}
