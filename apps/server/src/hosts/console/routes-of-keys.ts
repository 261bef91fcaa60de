import { ConsoleDone } from '@mintmark/contract/wire/console'
import { ConsoleKeys, KeyParams, MadeKey, MakeKeyBody, RollKeyBody } from '@mintmark/contract/wire/console-keys'
import { type Route, route } from '../../http/route.ts'
import { invalidFields, notFound } from '../../platform/errors.ts'
import { afterPasskey, type Door } from './arriving.ts'
import { ADMIN, DEVELOPER_READ, DONE } from './common.ts'
import { CONFIRMING } from './routes-of-team.ts'

/** The API keys of the account. All of one is sent once, to the press that made it. */
export function consoleKeyRoutes(door: Door): Route[] {
  const { console: people } = door
  return [
    route({
      ...DEVELOPER_READ,
      path: '/api/keys',
      operationId: 'listConsoleKeys',
      summary: 'API keys of the account, without their secrets',
      response: ConsoleKeys,
      errors: [notFound],
      async handler({ caller }) {
        const keys = await people.listKeys(caller)
        return {
          keys: keys.map(({ label, kind, role, createdAt, lastUsedAt, revokedAt, works }) => ({
            ...{ label, kind, role, works, created_at: createdAt.toISOString() },
            last_used_at: lastUsedAt?.toISOString() ?? null,
            revoked_at: revokedAt?.toISOString() ?? null,
          })),
        }
      },
    }),
    route({
      ...ADMIN,
      path: '/api/keys/make',
      operationId: 'makeConsoleKey',
      summary: 'Make another API key, shown once',
      body: MakeKeyBody,
      response: MadeKey,
      errors: [notFound, invalidFields, ...CONFIRMING],
      async handler({ caller, body: { kind, role, answer } }) {
        await people.confirmed(caller, { act: 'make_key', kind, role }, answer)
        const { label, key } = await people.makeKey(caller, { kind, role })
        return afterPasskey(door, caller, { label, key: key.reveal() })
      },
    }),
    route({
      ...ADMIN,
      path: '/api/keys/:key/roll',
      operationId: 'rollConsoleKey',
      summary: 'Make an API key in place of another one, which works for some hours more',
      params: KeyParams,
      body: RollKeyBody,
      response: MadeKey,
      errors: [notFound, ...CONFIRMING],
      async handler({ caller, params, body: { hours, answer } }) {
        await people.confirmed(caller, { act: 'roll_key', key: params.key, hours }, answer)
        const { label, key } = await people.rollKey(caller, { label: params.key, hours })
        return afterPasskey(door, caller, { label, key: key.reveal() })
      },
    }),
    route({
      ...ADMIN,
      path: '/api/keys/:key/revoke',
      operationId: 'revokeConsoleKey',
      summary: 'End an API key now',
      params: KeyParams,
      response: ConsoleDone,
      errors: [notFound],
      async handler({ caller, params }) {
        await people.revokeKey(caller, params.key)
        return DONE
      },
    }),
  ]
}
