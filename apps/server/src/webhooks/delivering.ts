import { webhooksDisabled } from './errors.ts'

/** `WEBHOOK_DELIVERY`. */
export interface DeliverySwitch {
  /**
   * False: nothing is sent, replayed or recovered, and owners change no endpoint. What is captured is queued all the
   * same.
   */
  isOn: boolean
}

/** `WEBHOOKS_DISABLED` for what changes or sends, while the operator has switched delivery off. */
export function checkDelivering({ isOn }: DeliverySwitch): void {
  if (!isOn) throw webhooksDisabled()
}
