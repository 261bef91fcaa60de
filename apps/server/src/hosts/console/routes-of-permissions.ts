import {
  ConsolePermissions,
  ConsolePermissionView,
  PermissionParams,
  PermissionsQuery,
} from '@mintmark/contract/wire/console-permissions'
import { permissionNotFound } from '../../console/errors.ts'
import type { ConsoleService } from '../../console/service.ts'
import { type Route, route } from '../../http/route.ts'
import { READ } from './common.ts'
import { toWirePermissions, toWirePermissionView } from './wire-of-permissions.ts'

/** What customers have allowed the account. */
export function consolePermissionRoutes(people: ConsoleService): Route[] {
  return [
    route({
      ...READ,
      path: '/api/permissions',
      operationId: 'listConsolePermissions',
      summary: 'Standing permissions of the account, the newest first',
      query: PermissionsQuery,
      response: ConsolePermissions,
      errors: [],
      handler: async ({ caller, query }) => toWirePermissions(await people.listPermissions(caller, query)),
    }),
    route({
      ...READ,
      path: '/api/permissions/:permissionId',
      operationId: 'getConsolePermission',
      summary: 'One permission, with its window and its charges',
      params: PermissionParams,
      response: ConsolePermissionView,
      errors: [permissionNotFound],
      handler: async ({ caller, params }) =>
        toWirePermissionView(await people.readPermission(caller, params.permissionId)),
    }),
  ]
}
