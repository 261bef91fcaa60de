export { Mintmark } from './client.ts'
export { MintmarkError, type SdkErrorCode } from './error.ts'
export type { Card, Change, Dismissal, Step, Styles, Success, SurfaceOptions } from './options.ts'
