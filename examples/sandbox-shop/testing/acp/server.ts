import { run } from '../../program.ts'
import { ACP } from './protocol-of-shop.ts'

// The program of the shop, which speaks this protocol as well: a test kills it.
await run(ACP)
