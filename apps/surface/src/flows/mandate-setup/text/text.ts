import { texts } from '../../../text/texts.ts'

export const text = texts.permission
