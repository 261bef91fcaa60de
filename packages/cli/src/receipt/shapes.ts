import { Receipt, ReceiptFile, ReceiptKeys } from '@mintmark/contract/wire/receipts'
import { Compile } from 'typebox/compile'

// What is read is checked by the schemas of the contract, each compiled once.

const receipt = Compile(Receipt)
const file = Compile(ReceiptFile)
const keys = Compile(ReceiptKeys)

export const isReceipt = (value: unknown): value is Receipt => receipt.Check(value)
export const isReceiptFile = (value: unknown): value is ReceiptFile => file.Check(value)
export const isReceiptKeys = (value: unknown): value is ReceiptKeys => keys.Check(value)
