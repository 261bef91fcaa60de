import { answersBy } from '../../../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../../../test/receivers/receiver.ts'
import { secret } from '../../../platform/secret.ts'
import { createCheckout } from '../service.ts'
import { ACP, acpError } from './acp-answers.ts'
import { PATIENT, SHOP_KEY } from './requests.ts'

interface Said {
  status: number
  body: unknown
}

/** What each request of the protocol is answered with; the name of the request is its last word. */
export interface AcpScript {
  create: Said
  update: Said
  retrieve: Said
  complete: Said
  cancel: Said
  delegate_payment: Said
  product_feed: Said
}

const said = (status: number, body: unknown): Said => ({ status, body })
export const refusal = (status: number, code: string): Said => said(status, acpError(code))

const WELL: AcpScript = {
  create: said(201, ACP.unselected),
  update: said(200, ACP.session),
  retrieve: said(200, ACP.session),
  complete: said(200, ACP.completed),
  cancel: said(200, ACP.canceled),
  delegate_payment: said(201, ACP.token),
  product_feed: said(200, ACP.feed),
}

/** A shop that says what a test wants, over real sockets, and a checkout that asks it. */
export async function startScriptedAcp() {
  const shop = await startReceiver()
  const addressOf = ({ port }: Receiver) => ({
    baseUrl: `http://localhost:${port}/acp`,
    key: secret(SHOP_KEY),
    ...PATIENT,
  })
  const says = (script: Partial<AcpScript> = {}) => {
    shop.requests.length = 0
    shop.behave(
      answersBy(({ method, path }) => {
        const { status, body } = { ...WELL, ...script }[nameOf(method, path)]
        return { status, body: JSON.stringify(body) }
      }),
    )
  }
  says()
  return {
    shop,
    says,
    address: addressOf(shop),
    checkout: createCheckout('acp', addressOf(shop)),
    /** Their names, in order. */
    asked: () => shop.requests.map(({ method, path }) => nameOf(method, path)),
    bodyOf: (name: keyof AcpScript) => {
      const request = shop.requests.find(({ method, path }) => nameOf(method, path) === name)
      return request === undefined || request.body.length === 0 ? undefined : JSON.parse(request.body.toString())
    },
    close: () => shop.close(),
  }
}

function nameOf(method: string, path: string): keyof AcpScript {
  const last = path.split('/').at(-1) ?? ''
  if (last in WELL) return last as keyof AcpScript
  if (method === 'GET') return 'retrieve'
  return last === 'checkout_sessions' ? 'create' : 'update'
}
