import type { Config } from '../config.ts'

/** Where the page of owners is. Where there is none, there are no agents either, and no owner is sent there. */
export const ownerUrlOf = ({ ownerUrl, surfaceUrl }: Pick<Config, 'ownerUrl' | 'surfaceUrl'>): string =>
  ownerUrl ?? surfaceUrl
