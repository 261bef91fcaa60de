import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import type { MerchantSecrets, MerchantService } from '../merchants/service.ts'
import { createLog } from '../platform/log.ts'
import { reachDatabase } from './database.ts'
import { openFoundation } from './foundation.ts'

export const ADMIN_USAGE = `
  merchant create --name NAME [--origin ORIGIN]... [--allowance N]   make an account; its keys are shown once
  merchant update ID [--origin ORIGIN]... [--allowance N | --allowance unlimited] [--status active|suspended]
  merchant list                                                       accounts
  key create MERCHANT --kind secret|publishable|wallet                another key, shown once
  key list MERCHANT                                                   keys, without their secrets
  key revoke KEY_ID                                                   refused everywhere within a second`

/** Said when the words of a command are off; the program prints the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const OPTIONS = {
  name: { type: 'string' },
  origin: { type: 'string', multiple: true },
  allowance: { type: 'string' },
  status: { type: 'string' },
  kind: { type: 'string' },
} as const

/** `merchant …` and `key …`: work on the same database as the service, also while it runs. */
export async function runAdmin(words: string[], config: Config): Promise<void> {
  const { values, positionals } = parse(words)
  const log = createLog({ level: config.logLevel === 'silent' ? 'silent' : 'error' })
  const foundation = await openFoundation(config, log, { reach: reachDatabase })
  try {
    const { wire } = await import('../wiring.ts')
    await verb(wire(foundation).merchants, positionals, values)
  } finally {
    await foundation.close()
  }
}

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'unknown option')
  }
}

type Values = ReturnType<typeof parse>['values']

async function verb(merchants: MerchantService, [noun, action, id]: string[], values: Values): Promise<void> {
  switch (`${noun} ${action}`) {
    case 'merchant create':
      return show(
        await merchants.createMerchant({
          name: needed(values.name, '--name'),
          allowedOrigins: values.origin ?? [],
          networkProfile: 'simulator',
          sessionAllowance: allowance(values.allowance) ?? null,
        }),
      )
    case 'merchant update':
      return print(await merchants.updateMerchant(needed(id, 'ID'), changes(values)))
    case 'merchant list':
      return print(await merchants.listMerchants())
    case 'key create': {
      const created = await merchants.createKey(needed(id, 'MERCHANT'), keyKind(values.kind))
      return print({ key_id: created.keyId, key: created.key.reveal() })
    }
    case 'key list':
      return print(await merchants.listKeys(needed(id, 'MERCHANT')))
    case 'key revoke':
      return print(await merchants.revokeKey(needed(id, 'KEY_ID')))
    default:
      throw new UsageError(`there is no command "${noun} ${action ?? ''}"`)
  }
}

function changes(values: Values) {
  const sessionAllowance = allowance(values.allowance)
  return {
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values.origin === undefined ? {} : { allowedOrigins: values.origin }),
    ...(sessionAllowance === undefined ? {} : { sessionAllowance }),
    ...(values.status === undefined ? {} : { status: statusOf(values.status) }),
  }
}

function statusOf(text: string): 'active' | 'suspended' {
  if (text === 'active' || text === 'suspended') return text
  throw new UsageError('--status must be active or suspended')
}

function keyKind(text: string | undefined): 'secret' | 'publishable' | 'wallet' {
  if (text === 'secret' || text === 'publishable' || text === 'wallet') return text
  throw new UsageError('--kind must be secret, publishable or wallet')
}

function allowance(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  if (text === 'unlimited') return null
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('--allowance must be a whole number or unlimited')
  return Number(text)
}

function needed(value: string | undefined, name: string): string {
  if (value === undefined || value === '') throw new UsageError(`${name} is missing`)
  return value
}

/** New secrets, once: they are stored as hashes or sealed, and cannot be shown again. */
function show(secrets: MerchantSecrets): void {
  print({
    merchant_id: secrets.merchantId,
    secret_key: secrets.secretKey.reveal(),
    publishable_key: secrets.publishableKey.reveal(),
    wallet_api_key: secrets.walletApiKey.reveal(),
    webhook_secret: secrets.webhookSecret.reveal(),
  })
}

function print(value: unknown): void {
  console.log(JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? Number(part) : part), 2))
}
