import { bound } from '../platform/bound.ts'
import type { WebhookDeps } from './deps.ts'
import { create, find, list, remove, update, urlProblems } from './endpoints.ts'
import { rotate } from './rotation.ts'
import { forgetFormerSecrets } from './secrets.ts'
import { sendTest } from './test-event.ts'
import { verify } from './verification.ts'

export type { WebhookDeps } from './deps.ts'
export type { Created, Endpoint, EndpointChanges, NewEndpoint } from './endpoints.ts'
export type { Rotated } from './rotation.ts'
export { failureOf } from './rules.ts'
export type { SealedSecrets } from './secrets.ts'
export type { TestResult } from './test-event.ts'

export const createWebhookService = (deps: WebhookDeps) =>
  bound(deps, {
    list,
    find,
    create,
    update,
    remove,
    verify,
    sendTest,
    rotate,
    urlProblems,
    forgetFormerSecrets,
  })
export type WebhookService = ReturnType<typeof createWebhookService>
