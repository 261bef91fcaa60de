import type { RouteExample } from '../src/http/testing/table-walk.ts'
import { mandateForbidden } from '../src/mandates/errors.ts'
import { createVisitTokens } from '../src/permissions/token.ts'
import { deriveKeys } from '../src/platform/keys.ts'
import { TEST_ROOT_KEY, type TestMerchant, type TestService } from './service.ts'

const NOBODY_YET = 'Whoever comes is not known yet; the passkey says whose it is (permissions.test.ts).'
const NOBODYS = { params: { mandateId: 'mdt_nobodys' } }

/** The token of a customer who has allowed nothing. */
export function visitTokenOf({ clock }: TestService, { merchantId }: TestMerchant): Promise<string> {
  const key = deriveKeys(TEST_ROOT_KEY).visitTokens
  const expiresAt = new Date(clock.now().getTime() + 600_000)
  const customerId = 'cus_00000000000000000000000000'
  return createVisitTokens({ key, environment: 'sandbox', clock }).sign({ merchantId, customerId, expiresAt })
}

/** What the route walk sends to the page of permissions. */
export function permissionExamples({ merchantId }: TestMerchant, mandateOfAnother: () => Promise<string>) {
  const moved = async (): Promise<RouteExample> => {
    const theirs = { params: { mandateId: await mandateOfAnother() } }
    return { own: NOBODYS, foreign: { theirs, nobodys: NOBODYS, status: 404, forbidden: mandateForbidden } }
  }
  const coming = { merchant_id: merchantId }
  return {
    permissionsSignInOptions: () => ({ own: { body: coming }, foreign: NOBODY_YET }),
    signInToPermissions: () => ({
      own: { body: { ...coming, visit: 'cus_nobodys', response: {} } },
      foreign: NOBODY_YET,
    }),
    listPermissions: () => ({ own: {}, foreign: 'Names nothing: the customer is the one whose token came.' }),
    pausePermission: moved,
    cancelPermission: moved,
    resumePermissionOptions: () => ({
      own: NOBODYS,
      foreign: 'What is asked to be signed says nothing of whether it is there (permissions.test.ts).',
    }),
    resumePermission: () => ({
      own: { ...NOBODYS, body: { resume_id: 'prs_nobodys', response: {} } },
      foreign: 'The signature comes first, and is of one permission (permissions.test.ts).',
    }),
  } satisfies Record<string, () => RouteExample | Promise<RouteExample>>
}
