export { startShop } from './start.ts'

// A test imports the function; `npm run sandbox-shop` and the service run the file.
if (import.meta.main) await import('./program.ts').then(({ run }) => run())
