import type { KeyObject } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { rm } from 'node:fs/promises'
import { type EncryptedPayload, openPayload } from '@mintmark/node'
import { Failure } from '../failure.ts'
import { createFile } from './home.ts'

/** A file that a card goes into. It is made before anything is charged, so that no card comes for which there is no place. */
export interface CardFile {
  /** Opens the payload and writes it down. */
  keep(payload: EncryptedPayload, key: KeyObject): Promise<void>
  /** Removes the file where no card came. */
  close(): Promise<void>
}

export async function makeCardFile(path: string): Promise<CardFile> {
  if (path === '-') throw new Failure('FILE_UNUSABLE', 'A card goes into a file, and never to standard output.')
  const file = await createFile(path)
  let hasCard = false
  return {
    async keep(payload, key) {
      await write(file, payload, key)
      hasCard = true
    },
    async close() {
      await file.close()
      if (!hasCard) await rm(path, { force: true })
    },
  }
}

async function write(file: FileHandle, payload: EncryptedPayload, key: KeyObject): Promise<void> {
  const card = openCard(payload, key)
  await file.writeFile(`${JSON.stringify(card, null, 2)}\n`)
  await file.sync()
}

function openCard(payload: EncryptedPayload, key: KeyObject) {
  try {
    return openPayload(payload, key)
  } catch {
    // Without the cause: it may say what was opened.
    throw new Failure('CARD_UNREADABLE', 'The card does not open with the key of this agent.')
  }
}
