import { Done } from '@mintmark/contract/wire/owner'
import { ActivityList, ActivityQuery } from '@mintmark/contract/wire/owner-activity'
import {
  OwnerCards,
  OwnerPermission,
  PermissionList,
  PermissionParams,
  PermissionQuery,
} from '@mintmark/contract/wire/owner-permissions'
import { Type } from 'typebox'
import { type Route, route } from '../../http/route.ts'
import { mandateInvalidTransition, mandateNotFound } from '../../mandates/errors.ts'
import type { OwnerService } from '../../owners/service.ts'
import { DONE, OWNERS } from './common.ts'
import { fromWireActivity, toWireActivity } from './wire-of-activity.ts'
import { toWireCards, toWirePermission } from './wire-of-permissions.ts'

const READ = { ...OWNERS, method: 'GET' } as const
const PERMISSION = { params: PermissionParams, errors: [mandateNotFound] } as const
const MOVE = {
  ...OWNERS,
  method: 'POST',
  params: PermissionParams,
  response: Done,
  errors: [mandateNotFound, mandateInvalidTransition],
} as const
const { before, size } = ActivityQuery.properties
const PageQuery = Type.Object({ before, size }, { additionalProperties: false })

/** What an owner has permitted, and stops by a press. */
export function permissionRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...READ,
      path: '/api/permissions',
      operationId: 'listOwnerPermissions',
      summary: 'Permissions of an owner, the newest first, also those that have ended',
      query: PermissionQuery,
      response: PermissionList,
      errors: [],
      handler: async ({ caller, query }) => {
        const { permissions, before } = await owners.listPermissions(caller, query.before)
        return { permissions: permissions.map(toWirePermission), next_before: before }
      },
    }),
    route({
      ...READ,
      ...PERMISSION,
      path: '/api/permissions/:mandateId',
      operationId: 'readOwnerPermission',
      summary: 'One permission as it stands',
      response: OwnerPermission,
      handler: async ({ caller, params }) => toWirePermission(await owners.readPermission(caller, params.mandateId)),
    }),
    route({
      ...READ,
      ...PERMISSION,
      path: '/api/permissions/:mandateId/charges',
      operationId: 'listOwnerPermissionCharges',
      summary: 'Charges and refusals of one permission, the newest first',
      query: PageQuery,
      response: ActivityList,
      handler: async ({ caller, params: { mandateId }, query }) => {
        await owners.readPermission(caller, mandateId)
        return toWireActivity(await owners.listActivity(caller, { ...fromWireActivity(query), mandateId }))
      },
    }),
    ...stopRoutes(owners),
    route({
      ...READ,
      path: '/api/cards',
      operationId: 'listOwnerCards',
      summary: 'Cards of an owner, and what hangs on each',
      response: OwnerCards,
      errors: [],
      handler: async ({ caller }) => toWireCards(await owners.listCards(caller)),
    }),
  ]
}

function stopRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...MOVE,
      path: '/api/permissions/:mandateId/pause',
      operationId: 'pauseOwnerPermission',
      summary: 'Hold a permission: nothing is charged until it goes on',
      async handler({ caller, params }) {
        await owners.pausePermission(caller, params.mandateId)
        return DONE
      },
    }),
    route({
      ...MOVE,
      path: '/api/permissions/:mandateId/end',
      operationId: 'endOwnerPermission',
      summary: 'End a permission for good',
      async handler({ caller, params }) {
        await owners.endPermission(caller, params.mandateId)
        return DONE
      },
    }),
  ]
}
