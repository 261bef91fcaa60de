import {
  ConsoleFound,
  ConsoleHome,
  ConsolePayments,
  ConsolePaymentView,
  FindQuery,
  PaymentParams,
  PaymentsQuery,
} from '@mintmark/contract/wire/console'
import { paymentNotFound } from '../../console/errors.ts'
import type { ConsoleService } from '../../console/service.ts'
import { type Route, route } from '../../http/route.ts'
import { READ } from './common.ts'
import { toWireHome, toWirePayments, toWirePaymentView } from './wire.ts'

/** What an account sees of its payments. */
export function consolePaymentRoutes(people: ConsoleService): Route[] {
  return [
    route({
      ...READ,
      path: '/api/home',
      operationId: 'getConsoleHome',
      summary: 'First steps, the money of a day, and what needs a person',
      response: ConsoleHome,
      errors: [],
      handler: async ({ caller }) => toWireHome(await people.home(caller)),
    }),
    route({
      ...READ,
      path: '/api/payments',
      operationId: 'listConsolePayments',
      summary: 'Payments of the account, the newest first',
      query: PaymentsQuery,
      response: ConsolePayments,
      errors: [],
      handler: async ({ caller, query }) => toWirePayments(await people.listPayments(caller, query)),
    }),
    route({
      ...READ,
      path: '/api/payments/:paymentId',
      operationId: 'getConsolePayment',
      summary: 'One payment, with what happened to it',
      params: PaymentParams,
      response: ConsolePaymentView,
      errors: [paymentNotFound],
      handler: async ({ caller, params }) => toWirePaymentView(await people.readPayment(caller, params.paymentId)),
    }),
    route({
      ...READ,
      path: '/api/find',
      operationId: 'findInConsole',
      summary: 'What an id names',
      query: FindQuery,
      response: ConsoleFound,
      errors: [],
      handler: async ({ caller, query }) => ({ found: await people.find(caller, query.q) }),
    }),
  ]
}
