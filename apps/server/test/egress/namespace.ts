import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Another user than root needs a user namespace, which some systems forbid. */
const UNSHARE = process.getuid?.() === 0 ? ['--net'] : ['--user', '--map-root-user', '--net']

/** In a new namespace every address there is, public or private, is this machine: a program that listens hears all that is sent. */
const EVERY_ADDRESS_IS_HERE = [
  'ip link set lo up',
  'ip route add local 0.0.0.0/0 dev lo',
  'ip -6 route add local ::/0 dev lo',
].join(' && ')

export const NEEDS = 'needs Linux with unshare (util-linux) and ip (iproute2), as root or with user namespaces allowed'

export async function hasNamespaces(): Promise<boolean> {
  return run('unshare', [...UNSHARE, 'sh', '-c', EVERY_ADDRESS_IS_HERE]).then(
    () => true,
    () => false,
  )
}

/** Runs a program of this folder in a network of its own, and returns what it printed, which is JSON. */
export async function inNamespace(program: string, words: readonly string[]): Promise<unknown> {
  const command = `${EVERY_ADDRESS_IS_HERE} && exec "$@"`
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', join(import.meta.dirname, program), ...words]
  const { stdout } = await run('unshare', [...UNSHARE, 'sh', '-c', command, 'sh', ...node], { maxBuffer: 2 ** 26 })
  return JSON.parse(stdout)
}

/** All packets that any program of this network has sent so far. Each passes the one interface there is. */
export function packetsSent(): number {
  const line = readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .find((row) => row.trim().startsWith('lo:'))
  return Number(line?.trim().split(/\s+/)[10])
}
