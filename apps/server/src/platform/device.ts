/** Its owner recognises a session by it. Nothing is decided by it: browsers say of themselves what they like. */
export interface Device {
  browser: string | null
  system: string | null
  place: string
}

/** The first that fits: browsers name those that they are made of as well. */
const BROWSERS = [
  [/\bEdgA?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

const nameIn = (names: readonly (readonly [RegExp, string])[], text: string) =>
  names.find(([form]) => form.test(text))?.[1] ?? null

/** `place`: the network, never a whole address. */
export const deviceOf = (userAgent: string, place: string): Device => ({
  ...{ browser: nameIn(BROWSERS, userAgent), system: nameIn(SYSTEMS, userAgent), place },
})

/** How a device is called where people read it. */
export const nameOfDevice = ({ browser, system }: Pick<Device, 'browser' | 'system'>): string =>
  [browser, system].filter((part) => part !== null).join(' on ') || 'An unknown browser'
