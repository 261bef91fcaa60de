import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'
import { parseAddress } from '../../src/platform/egress/addresses.ts'

/** What is said of one name. */
export interface Name {
  /** Addresses of both families: one list for each question, the last one for all that follow. */
  answers?: readonly (readonly string[])[]
  /** Another name, whose addresses these are. */
  alias?: string
  ttlSeconds?: number
  /** Says nothing, to both questions or to one of them. */
  silence?: 'both' | 'a' | 'aaaa'
  /** An error instead: 2 server failure, 3 no such name, 5 refused. */
  code?: number
}

export interface NameServer {
  /** `127.0.0.1:PORT`. */
  address: string
  /** Names that were asked for, once for each question. */
  asked: string[]
  close(): Promise<void>
}

const TYPES: Record<number, 4 | 6 | undefined> = { 1: 4, 28: 6 }
const ALIAS = 5

/** A name server with a script, over UDP (RFC 1035). What it has not heard of does not exist. */
export async function startNameServer(names: Record<string, Name>): Promise<NameServer> {
  const asked: string[] = []
  const counts = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question)
    asked.push(name)
    const key = `${name} ${type}`
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    const answer = answerTo(question.subarray(0, end), type, names[name], count)
    if (answer !== undefined) socket.send(answer, port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.subarray(at + 1, at + 1 + length).toString('latin1'))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(question: Buffer, type: number, said: Name | undefined, count: number): Buffer | undefined {
  const family = TYPES[type]
  const silentFor = { both: [4, 6], a: [4], aaaa: [6] } as const
  if (said?.silence !== undefined && silentFor[said.silence].some((one) => one === family)) return undefined
  if (said === undefined) return message(question, 3, [])
  if (said.code !== undefined) return message(question, said.code, [])
  const list = said.answers?.[Math.min(count, said.answers.length - 1)] ?? []
  const ttl = said.ttlSeconds ?? 60
  const owner = said.alias === undefined ? QUESTION_NAME : encodeName(said.alias)
  const alias = said.alias === undefined ? [] : [record(QUESTION_NAME, ALIAS, ttl, encodeName(said.alias))]
  const own = list.filter((address) => isIP(address) === family)
  return message(question, 0, [...alias, ...own.map((address) => record(owner, type, ttl, encodeAddress(address)))])
}

/** A pointer to where the question has its name. */
const QUESTION_NAME = Buffer.from([0xc0, 12])

function message(question: Buffer, code: number, records: Buffer[]): Buffer {
  const head = Buffer.from(question)
  // An answer, with recursion; one question, and nothing but answers.
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...records])
}

function record(owner: Buffer, type: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(ttl, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

function encodeAddress(text: string): Buffer {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(`${text} is no address.`)
  return Buffer.from(address.value.toString(16).padStart(address.version === 4 ? 8 : 32, '0'), 'hex')
}
