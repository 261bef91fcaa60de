import { errorPageOf } from '../surface/plain-page.ts'

export const consoleErrorPage = errorPageOf({
  lost: {
    title: 'Page not found',
    heading: 'This address leads nowhere',
    text: 'The console begins at the address without a path.',
  },
  busy: {
    title: 'One moment, please',
    heading: 'One moment, please',
    text: 'This page is asked for too often right now. Load it again in a minute.',
  },
  broken: {
    title: 'That did not work',
    heading: 'That did not work',
    text: 'The page cannot be shown right now. Load it again in a moment.',
  },
})
