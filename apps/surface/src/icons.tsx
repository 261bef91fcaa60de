import { Icon, type IconName, Medal, Spinner, type Tone } from '@mintmark/ui/icons.tsx'
import { draw } from './draw.tsx'

const medal = (icon: IconName, tone: Tone) => draw(<Medal icon={icon} tone={tone} />)

export const clockIcon = () => medal('clock', 'calm')
export const offlineIcon = () => medal('cloud', 'calm')
export const noticeIcon = () => medal('notice', 'calm')
export const windowIcon = () => medal('window', 'calm')
export const keyIcon = () => draw(<Icon name="key" />, 'span')
export const spinner = () => draw(<Spinner />)
