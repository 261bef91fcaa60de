import { h, svg } from './dom.ts'

function lineIcon(paths: string[], className: string): SVGSVGElement {
  return svg(
    'svg',
    {
      class: className,
      viewBox: '0 0 24 24',
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': 1.75,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
      'aria-hidden': 'true',
    },
    ...paths.map((d) => svg('path', { d })),
  )
}

type Tone = 'good' | 'bad' | 'calm'

function medal(paths: string[], tone: Tone): HTMLElement {
  return h('div', { class: `medal medal-${tone}` }, lineIcon(paths, 'icon'))
}

const CHECK = ['M5 12.5l4.5 4.5L19 7.5']
const CROSS = ['M7 7l10 10', 'M17 7L7 17']
const CLOCK = ['M12 7v5l3 2', 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18']
const KEY = [
  'M8.5 11a3.5 3.5 0 1 0 0-7a3.5 3.5 0 0 0 0 7z',
  'M3 20v-1.5A4.5 4.5 0 0 1 7.5 14H11',
  'M17 12.5a2.5 2.5 0 1 0 0-5a2.5 2.5 0 0 0 0 5z',
  'M17 12.5V20',
  'M17 17h2',
  'M17 20h2.5',
]
const CLOUD = ['M4 4l16 16', 'M8 7.6A6 6 0 0 1 17.5 11a4 4 0 0 1 2.2 6.6', 'M6 10.5A4 4 0 0 0 7 18.5h9.5']
const NOTICE = ['M12 8v5', 'M12 16.5v.01', 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18']
const WINDOW = ['M4 5h16v14H4z', 'M4 9h16']

export const checkIcon = () => medal(CHECK, 'good')
export const crossIcon = () => medal(CROSS, 'bad')
export const clockIcon = () => medal(CLOCK, 'calm')
export const passkeyIcon = () => medal(KEY, 'calm')
export const offlineIcon = () => medal(CLOUD, 'calm')
export const noticeIcon = () => medal(NOTICE, 'calm')
export const windowIcon = () => medal(WINDOW, 'calm')
export const lockIcon = () => lineIcon(['M6 11h12v9H6z', 'M8.5 11V8a3.5 3.5 0 0 1 7 0v3'], 'lock')
