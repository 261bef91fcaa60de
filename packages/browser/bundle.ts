import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** The whole package in one script, as a script tag takes it. */
export function bundleScript(): Promise<string> {
  return bundle(join(import.meta.dirname, 'src/script.ts'), 'production')
}

/** One file with all that it imports, for a browser. */
export async function bundle(
  input: string,
  mode: 'production' | 'development',
  format: 'iife' | 'es' = 'iife',
): Promise<string> {
  const define = { 'process.env.NODE_ENV': JSON.stringify(mode) }
  const built = await rolldown({ input, transform: { target: 'es2022', define } })
  const { output } = await built.generate({ format, minify: true })
  return output[0].code
}
