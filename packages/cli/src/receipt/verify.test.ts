// Guarantee: the command says what a file of receipts proves and what it does not. It finds one flipped bit anywhere, a
// missing receipt, a fork, another key, and a sentence that the passkey did not sign. It asks no server.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runProgram, temporaryHome } from '../../../../apps/server/test/processes/program.ts'
import { Failure } from '../failure.ts'
import { hashText } from './bytes.ts'
import { parseFile, writtenFile } from './file.ts'
import { fileOf, madeChain, newKey, proofOf, receiptOf, SENTENCE, signed, TERMS } from './testing/made.ts'
import { verifyReceipts } from './verify.ts'

const key = newKey()
const [approval, charge] = madeChain(key)
const bytes = Buffer.from(writtenFile(fileOf(key, [approval, charge])))

const verify = (file: Uint8Array, trusted: Parameters<typeof verifyReceipts>[1] = null) =>
  verifyReceipts(parseFile(file), trusted)
const written = (...given: Parameters<typeof fileOf>) => Buffer.from(writtenFile(fileOf(...given)))
const saidOf = ({ receipts, file }: ReturnType<typeof verifyReceipts>, isProven: boolean) =>
  [...receipts.flatMap(({ findings }) => findings), ...file]
    .filter((finding) => finding.isProven === isProven)
    .map(({ text }) => text)

describe('one flipped bit is found', () => {
  /** Which flips of these bits of a file pass. */
  function unfound(file: Buffer, [from, to] = [0, file.length * 8]): number[] {
    const passed: number[] = []
    for (let at = from; at < to; at += 1) {
      const flipped = Buffer.from(file)
      flipped.writeUInt8(flipped.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3)
      if (!isFound(flipped)) passed.push(at)
    }
    return passed
  }

  /** An error of any other kind is none of ours, and fails the test. */
  function isFound(file: Buffer): boolean {
    try {
      verify(file)
      return false
    } catch (error) {
      if (error instanceof Failure && error.code === 'RECEIPT_BROKEN') return true
      throw error
    }
  }

  test('anywhere in a download, its keys included', { timeout: 120_000 }, () => {
    expect(unfound(bytes)).toEqual([])
  })

  test('in terms that stand beside a receipt', { timeout: 120_000 }, () => {
    const [first] = madeChain(key, { isBeside: true })
    const file = written(key, [first], [TERMS])
    expect(unfound(file, [file.indexOf('"terms"') * 8, file.length * 8])).toEqual([])
  })
})

test('what is proven and what is not is said in words', () => {
  const own = verify(bytes)
  expect(saidOf(own, true)).toEqual([
    'The sentence has the hash that stands beside it.',
    'A passkey of wallet.example signed the terms, its person verified.',
    'The sentence is in the terms that the passkey signed, word for word.',
    'It was allowed by the receipt rcp_1, which is in the file.',
    `Signed, and unchanged since, by the key ${key.jwk.kid}.`,
    'No receipt is missing from 1 to 2: each names the hash of the one before.',
  ])
  expect(saidOf(own, false)).toEqual([
    'Whose passkey that is: the operator says so, and nothing else does.',
    expect.stringContaining('That the key is the operator’s'.replace('’', "'")),
    'That there is no later receipt: a file says nothing of what came after it.',
  ])
  expect(saidOf(verify(bytes, [newKey().jwk, key.jwk]), true)).toContain(
    'The key is one of those that were named with --keys, for https://wallet.example.',
  )
  const [bare] = madeChain(key, { isBeside: true })
  expect(saidOf(verify(written(key, [bare])), false)).toContain(
    'That the sentence was in these terms: they are not in the file. Their owner can download them.',
  )
  expect(saidOf(verify(written(key, [charge])), false)).toEqual(
    expect.arrayContaining([
      'That it was allowed: the receipt rcp_1, which allowed it, is not in the file.',
      'That the receipts are all: 1 are not in the file.',
    ]),
  )
})

const link = (position: number, previous: string | null) => ({ chain: { position, previous } })
const first = signed(key, receiptOf(link(1, null)))
const second = signed(key, receiptOf(link(2, hashText(first))))
const wrongSentence = { language: 'en', text: 'Allow everything.', sha256: hashText('Allow everything.') } as const
const asked = { act: 'approval', outcome: 'allowed', about: { type: 'permission', id: 'mdt_1' } } as const

test.each([
  ['by another key', [signed(newKey(), receiptOf(link(1, null)))], /which is not among the keys/],
  ['by none', [signed(key, receiptOf(link(1, null)), { alg: 'none' })], /a header that no receipt has/],
  [
    'with a header of its own',
    [signed(key, receiptOf(link(1, null)), { crit: ['x'] })],
    /a header that no receipt has/,
  ],
  ['out of order', [second, first], /out of order, or forked/],
  ['twice', [first, first], /out of order, or forked/],
  ['after another one', [first, signed(key, receiptOf(link(2, hashText('x'))))], /does not follow/],
  ['that begins in the middle', [signed(key, receiptOf(link(2, null)))], /does not begin the chain/],
  ['that says more', [signed(key, { ...receiptOf(link(1, null)), card: '4242' })], /does not say what a receipt says/],
  [
    'with another sentence than was signed',
    [signed(key, receiptOf({ ...asked, sentence: wrongSentence, proof: proofOf(TERMS), ...link(1, null) }))],
    /not the one that the passkey signed/,
  ],
  [
    'with an assertion for another site',
    [signed(key, receiptOf({ ...asked, proof: { ...proofOf(TERMS), rp_id: 'evil.example' }, ...link(1, null) }))],
    /made for another site/,
  ],
  [
    'with an assertion over other terms',
    [signed(key, receiptOf({ ...asked, proof: { ...proofOf('{}'), ...changedTerms() }, ...link(1, null) }))],
    /not the challenge of these terms/,
  ],
  [
    'under a permission that is another receipt',
    [
      first,
      signed(
        key,
        receiptOf({ permission: { id: 'mdt_1', jti: 'rcp_1', sha256: hashText(first) }, ...link(2, hashText(first)) }),
      ),
    ],
    /not the one that another receipt names/,
  ],
  [
    'that quotes another sentence than allowed it',
    [
      approval,
      signed(
        key,
        receiptOf({
          ...{ permission: { id: 'mdt_1', jti: 'rcp_1', sha256: hashText(approval) }, sentence: wrongSentence },
          ...link(2, hashText(approval)),
        }),
      ),
    ],
    /quotes another sentence/,
  ],
])('a receipt %s proves nothing', (_, receipts, message) => {
  expect(() => verify(written(key, receipts))).toThrow(message)
})

function changedTerms() {
  return { terms: TERMS, terms_sha256: hashText(TERMS) }
}

test('the command says it, and ends with 1 where something was changed', async () => {
  const home = await temporaryHome()
  const [file, keys] = [join(home, 'receipts.json'), join(home, 'keys.json')]
  await mkdir(home, { recursive: true })
  await writeFile(file, bytes)
  await writeFile(keys, JSON.stringify({ keys: [key.jwk] }))
  const run = (...words: string[]) => runProgram(['receipt', 'verify', ...words], { home, env: {} })
  const good = await run(file, '--keys', keys)
  expect(good).toMatchObject({ code: 0 })
  expect(good.output).toContain(`1. approval (allowed), 2026-11-27T10:00:00.000Z, 40.00 EUR, at Café Central`)
  expect(good.output).toContain(`“${SENTENCE}”`)
  expect(good.output).toContain('proven      No receipt is missing from 1 to 2')
  const answer = JSON.parse(lineOf((await run(file, '--json')).output, '{'))
  expect(answer.receipts[1].receipt).toMatchObject({ jti: 'rcp_2', act: 'charge' })
  await writeFile(
    file,
    bytes.toString().replace(/.(?="\],"terms")/, (sign) => (sign === 'A' ? 'B' : 'A')),
  )
  const bad = await run(file)
  expect(bad).toMatchObject({ code: 1 })
  expect(bad.output).toMatch(/not a compact JWS|does not verify/)
})

const lineOf = (output: string, start: string) => output.split('\n').find((line) => line.startsWith(start)) ?? ''
