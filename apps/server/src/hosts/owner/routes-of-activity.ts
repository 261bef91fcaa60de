import {
  ActivityList,
  ActivityQuery,
  ChargeLifeView,
  ChargeParams,
  ShopList,
} from '@mintmark/contract/wire/owner-activity'
import { chargeNotFound } from '../../charges/errors.ts'
import { type Route, route } from '../../http/route.ts'
import type { OwnerService } from '../../owners/service.ts'
import { OWNERS } from './common.ts'
import { fromWireActivity, toWireActivity, toWireLife } from './wire-of-activity.ts'

const READ = { ...OWNERS, method: 'GET' } as const

/** What agents of an owner did. */
export function activityRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...READ,
      path: '/api/activity',
      operationId: 'listOwnerActivity',
      summary: 'Charges of the agents of an owner, the newest first',
      query: ActivityQuery,
      response: ActivityList,
      errors: [],
      handler: async ({ caller, query }) => toWireActivity(await owners.listActivity(caller, fromWireActivity(query))),
    }),
    route({
      ...READ,
      path: '/api/activity/shops',
      operationId: 'listOwnerShops',
      summary: 'The shops of an owner’s permissions',
      response: ShopList,
      errors: [],
      handler: async ({ caller }) => ({ shops: await owners.listShops(caller) }),
    }),
    route({
      ...READ,
      path: '/api/activity/:chargeId',
      operationId: 'readOwnerCharge',
      summary: 'One charge of an agent, with what happened to it',
      params: ChargeParams,
      response: ChargeLifeView,
      errors: [chargeNotFound],
      handler: async ({ caller, params }) => {
        const { life, now } = await owners.readCharge(caller, params.chargeId)
        return toWireLife(life, now)
      },
    }),
  ]
}
