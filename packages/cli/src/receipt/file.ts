import { readFile } from 'node:fs/promises'
import { RECEIPT_FILE_FORMAT } from '@mintmark/contract/receipt'
import type { ReceiptFile, ReceiptKey } from '@mintmark/contract/wire/receipts'
import { Failure } from '../failure.ts'
import { isThumbprintOf } from './bytes.ts'
import { isReceiptFile, isReceiptKeys } from './shapes.ts'

/** What a file has that was handed in: receipts by themselves come without keys and terms. */
export interface HandedIn {
  receipts: readonly string[]
  keys: readonly ReceiptKey[]
  terms: readonly string[]
}

/** The largest file that is read. */
const MAX_BYTES = 16 * 1024 * 1024
const JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/**
 * A file as it is downloaded, or receipts alone, one a line. Read strictly: a file that could be read in two ways, or
 * has a byte that says nothing, is not taken.
 */
export function parseFile(bytes: Uint8Array): HandedIn {
  const text = textOf(bytes)
  if (!text.startsWith('{')) return parseLines(text)
  const file = jsonOf(text)
  if (!isReceiptFile(file)) throw broken(`The file is not of the form ${RECEIPT_FILE_FORMAT}.`)
  if (writtenFile(file) !== text.replace(/\n?$/, '\n'))
    throw broken('The file is not written as it is downloaded: a byte of it was changed.')
  for (const key of file.keys.keys) checkThumbprint(key)
  return { receipts: file.receipts, keys: file.keys.keys, terms: file.terms }
}

function parseLines(text: string): HandedIn {
  const receipts = text.replace(/\n$/, '').split('\n')
  if (!receipts.every((line) => JWS.test(line)))
    throw broken('The file is neither receipts, one a line, nor a download.')
  return { receipts, keys: [], terms: [] }
}

/** The bytes of a download: one form for equal contents. */
export function writtenFile({ format, keys, receipts, terms }: ReceiptFile): string {
  return `${JSON.stringify({ format, keys: { keys: keys.keys.map(ordered) }, receipts, terms })}\n`
}

const ordered = ({ kty, crv, x, y, kid, alg, use }: ReceiptKey): ReceiptKey => ({ kty, crv, x, y, kid, alg, use })

/** The operator's keys, as `/.well-known/jwks.json` of their origin has them. */
export function parseKeys(bytes: Uint8Array): readonly ReceiptKey[] {
  const set = jsonOf(textOf(bytes))
  if (!isReceiptKeys(set)) throw broken('The file of keys is not as the operator publishes it.')
  for (const key of set.keys) checkThumbprint(key)
  return set.keys
}

function checkThumbprint(key: ReceiptKey): void {
  if (!isThumbprintOf(key.kid, key))
    throw broken(`The key ${key.kid} does not have the thumbprint that it is named by.`)
}

export async function readBytes(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new Failure('FILE_UNUSABLE', `${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  })
  if (bytes.length > MAX_BYTES) throw new Failure('FILE_UNUSABLE', `${path} is larger than a file of receipts can be.`)
  return bytes
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw broken('The file is not text.')
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw broken('The file is not JSON.')
  }
}

/** The file, or something in it, is not what was signed. */
export const broken = (message: string) => new Failure('RECEIPT_BROKEN', message)
