import type { Receipt, ReceiptKey } from '@mintmark/contract/wire/receipts'
import { assertionProblem } from './assertion.ts'
import { hashText } from './bytes.ts'
import { chainFindings } from './chain.ts'
import { broken, type HandedIn } from './file.ts'
import { openReceipt, type Signed } from './jws.ts'

/** One thing that a file proves, or does not. What is wrong throws: then nothing is proven. */
export interface Finding {
  isProven: boolean
  text: string
}

export interface Verified {
  receipts: { receipt: Receipt; findings: Finding[] }[]
  file: Finding[]
}

const proven = (text: string): Finding => ({ isProven: true, text })
const open = (text: string): Finding => ({ isProven: false, text })

/**
 * What receipts prove. `trusted`: the operator's keys, from where the reader knows that they are theirs; null: those
 * of the file are taken, which prove no operator.
 */
export function verifyReceipts(given: HandedIn, trusted: readonly ReceiptKey[] | null): Verified {
  const keys = trusted ?? given.keys
  if (keys.length === 0) throw broken('The file has no keys. Name a file of the operator’s with --keys.')
  const signed = given.receipts.map((text) => openReceipt(text, keys))
  const terms = new Map(given.terms.map((text) => [hashText(text), text]))
  const named = new Set(signed.map(({ receipt }) => receipt.proof?.terms_sha256))
  if (![...terms.keys()].every((hash) => named.has(hash))) throw broken('The file has terms that no receipt names.')
  if (terms.size !== given.terms.length) throw broken('The file has terms twice.')
  return {
    receipts: signed.map((each) => ({
      receipt: each.receipt,
      findings: [
        ...sentenceFindings(each.receipt),
        ...proofFindings(each.receipt, terms),
        ...permissionFindings(each.receipt, signed),
      ],
    })),
    file: [...keyFindings(signed, trusted !== null), ...chainFindings(signed)],
  }
}

function keyFindings(signed: readonly Signed[], isTrusted: boolean): Finding[] {
  const kids = [...new Set(signed.map(({ kid }) => kid))].join(', ')
  const issuers = [...new Set(signed.map(({ receipt }) => receipt.iss))].join(', ')
  const said = proven(`Signed, and unchanged since, by the key ${kids}.`)
  if (isTrusted) return [said, proven(`The key is one of those that were named with --keys, for ${issuers}.`)]
  const where = `${issuers}/.well-known/jwks.json`
  return [
    said,
    open(
      `That the key is the operator's: the file brings it along. Compare it with ${where}, or name that with --keys.`,
    ),
  ]
}

function sentenceFindings({ sentence }: Receipt): Finding[] {
  if (sentence === null) return []
  if (hashText(sentence.text) !== sentence.sha256)
    throw broken('A sentence does not have the hash that stands beside it.')
  return [proven('The sentence has the hash that stands beside it.')]
}

function proofFindings({ act, proof, sentence }: Receipt, beside: ReadonlyMap<string, string>): Finding[] {
  if (proof === null) {
    return act === 'approval' ? [open('That the owner signed it: no assertion of a passkey is with it.')] : []
  }
  const problem = assertionProblem(proof)
  if (problem !== null) throw broken(`The assertion of a passkey proves nothing: ${problem}.`)
  const by = proven(`A passkey of ${proof.rp_id} signed the terms, its person verified.`)
  const whose = open('Whose passkey that is: the operator says so, and nothing else does.')
  return [by, ...termsFindings(sentence, beside.get(proof.terms_sha256) ?? proof.terms), whose]
}

function termsFindings(sentence: Receipt['sentence'], terms: string | null): Finding[] {
  if (terms === null) {
    return [open('That the sentence was in these terms: they are not in the file. Their owner can download them.')]
  }
  if (sentence === null || sentenceIn(terms) !== sentence.text)
    throw broken('A sentence is not the one that the passkey signed.')
  return [proven('The sentence is in the terms that the passkey signed, word for word.')]
}

function permissionFindings({ permission, sentence }: Receipt, signed: readonly Signed[]): Finding[] {
  if (permission === null) return []
  const found = signed.find(({ receipt }) => receipt.jti === permission.jti)
  if (found === undefined) {
    return [open(`That it was allowed: the receipt ${permission.jti}, which allowed it, is not in the file.`)]
  }
  const isIt =
    found.hash === permission.sha256 && found.receipt.act === 'approval' && found.receipt.about.id === permission.id
  if (!isIt) throw broken(`The receipt ${permission.jti} is not the one that another receipt names as its permission.`)
  if (sentence !== null && sentence.text !== found.receipt.sentence?.text) {
    throw broken(`A receipt quotes another sentence than that of the receipt ${permission.jti}, which allowed it.`)
  }
  return [proven(`It was allowed by the receipt ${permission.jti}, which is in the file.`)]
}

function sentenceIn(terms: string): unknown {
  try {
    return (JSON.parse(terms) as { sentence?: { text?: unknown } | null }).sentence?.text
  } catch {
    return undefined
  }
}
