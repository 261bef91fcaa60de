import type { SurfaceView } from '@mintmark/contract/wire/surface'
import { enrollmentFlow } from './enrollment/flow.ts'
import type { Flow } from './flow.ts'
import { mandateSetupFlow } from './mandate-setup/flow.ts'
import { paymentFlow } from './payment/flow.ts'

/** A kind without a flow does not compile. */
const FLOWS: { [Kind in SurfaceView['kind']]: Flow<Extract<SurfaceView, { kind: Kind }>> } = {
  payment: paymentFlow,
  mandate_setup: mandateSetupFlow,
  enrollment: enrollmentFlow,
}

export function flowOf(view: SurfaceView): Flow {
  return FLOWS[view.kind]
}
