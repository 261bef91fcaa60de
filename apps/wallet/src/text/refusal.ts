import { de } from '@mintmark/contract/refusals/de'
import { en } from '@mintmark/contract/refusals/en'
import { refusalWords } from '@mintmark/contract/refusals/list'
import type { ActivityCharge } from '@mintmark/contract/wire/owner-activity'
import { language } from './language.ts'

/** Why a charge was refused, in one sentence, and the next thing to do. */
export const refusalOf = ({ code, limit }: Pick<ActivityCharge, 'code' | 'limit'>) =>
  refusalWords(language === 'de' ? de : en, code, limit)
