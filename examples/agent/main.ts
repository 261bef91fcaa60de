import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { atThePage, playedByTheSandbox } from './owner.ts'
import { sandboxShop } from './shop.ts'
import { shopping } from './shopping.ts'

// npm run agent                 beside a running service (npm start); the sandbox plays the owner
// npm run agent -- --ask-me     you are the owner, in a browser

const home = process.env.MINTMARK_HOME ?? '.mintmark'
const say = (line: string) => console.log(line)

/** What the home of the service says: where it is, a key for its test helpers, and the key of its shop, which stands for an account there. */
async function settings() {
  const dev = JSON.parse(await readFile(join(home, 'dev.json'), 'utf8')) as { api_url: string; secret_key: string }
  const port = Number(new URL(dev.api_url).port) + 5
  const key = (await readFile(join(home, 'shop.key'))).toString('base64url')
  const url = process.env.SANDBOX_SHOP_URL ?? `http://127.0.0.1:${port}`
  return { apiUrl: dev.api_url, secretKey: dev.secret_key, shop: sandboxShop({ url, key }) }
}

try {
  const { apiUrl, secretKey, shop } = await settings()
  const owner = process.argv.includes('--ask-me') ? atThePage(say) : playedByTheSandbox({ apiUrl, secretKey }, say)
  await shopping({ apiUrl, owner, shop, say })
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException
  console.error(code === 'ENOENT' ? `There is no sandbox in ${home}. Start it first: npm start` : message)
  process.exitCode = 1
}
