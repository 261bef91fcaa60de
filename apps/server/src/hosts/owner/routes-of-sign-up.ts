import {
  AddressBody,
  AddressCode,
  AddressProven,
  NewOwner,
  NewOwnerAnswer,
  ProvenVisit,
  SignedIn,
  VisitBegun,
  VisitOptions,
} from '@mintmark/contract/wire/owner'
import type { HostCookie } from '../../http/cookie.ts'
import { type Route, route } from '../../http/route.ts'
import { addressNotProven, addressTaken, codeOver, codeWrong, noMailHere, tooManyVisits } from '../../mail/errors.ts'
import { perOwnerMail } from '../../owners/credential.ts'
import type { OwnerService } from '../../owners/service.ts'
import { passkeyFailed } from '../../passkeys/errors.ts'
import { invalidState } from '../../platform/errors.ts'
import { arrivalOf, begun, NOBODY_YET, VISIT } from './arriving.ts'

/** How a person becomes an owner: an address, the code that is mailed there, then a passkey. */
export function signUpRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...VISIT,
      path: '/api/sign-up',
      operationId: 'signUp',
      summary: 'Mail a code to an address, to prove it',
      auth: NOBODY_YET,
      limit: perOwnerMail,
      body: AddressBody,
      response: VisitBegun,
      errors: [noMailHere, tooManyVisits],
      async handler({ body }) {
        const { visit, codeEndsAt } = await owners.signUp(body.email)
        return { visit, code_ends_at: codeEndsAt.toISOString() }
      },
    }),
    route({
      ...VISIT,
      path: '/api/sign-up/confirm',
      operationId: 'confirmSignUp',
      summary: 'Type the code that was mailed',
      auth: NOBODY_YET,
      body: AddressCode,
      response: AddressProven,
      errors: [codeOver, codeWrong],
      handler: async ({ body }) => ({ known: (await owners.proveAddress(body.visit, body.code)).isKnown }),
    }),
    ...newOwnerRoutes(owners, cookie),
  ]
}

function newOwnerRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...VISIT,
      path: '/api/owners/options',
      operationId: 'newOwnerOptions',
      summary: 'Begin to make a passkey, with a proven address',
      auth: NOBODY_YET,
      body: NewOwner,
      response: VisitOptions,
      errors: [addressNotProven],
      handler: ({ body }) => owners.newOwnerOptions(body.visit, body.name),
    }),
    route({
      ...VISIT,
      path: '/api/owners',
      operationId: 'newOwner',
      summary: 'Become an owner with a new passkey, and be signed in',
      auth: NOBODY_YET,
      body: NewOwnerAnswer,
      response: SignedIn,
      errors: [passkeyFailed, addressNotProven, addressTaken, invalidState],
      handler: async ({ body, client }) =>
        begun(cookie, await owners.registerOwner(body.visit, body, arrivalOf(cookie, client()))),
    }),
    ...shopPasskeyRoutes(owners, cookie),
  ]
}

function shopPasskeyRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...VISIT,
      path: '/api/owners/shop-passkey/options',
      operationId: 'shopPasskeyOptions',
      summary: 'Ask for a passkey that was made at a shop, with a proven address',
      auth: NOBODY_YET,
      body: ProvenVisit,
      response: VisitOptions,
      errors: [addressNotProven],
      handler: ({ body }) => owners.shopPasskeyOptions(body.visit),
    }),
    route({
      ...VISIT,
      path: '/api/owners/shop-passkey',
      operationId: 'becomeOwner',
      summary: 'Become an owner with the passkey that was made at a shop, and be signed in',
      auth: NOBODY_YET,
      body: NewOwnerAnswer,
      response: SignedIn,
      errors: [passkeyFailed, addressNotProven, addressTaken, invalidState],
      handler: async ({ body, client }) =>
        begun(cookie, await owners.becomeOwner(body.visit, body, arrivalOf(cookie, client()))),
    }),
  ]
}
