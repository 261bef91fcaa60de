import { createHash } from 'node:crypto'
import { type Pool, types } from 'pg'

/** Something that must not be found, and the name to report it by. */
export interface Needle {
  name: string
  text: string
  /** Three digits stand in any number, so a short secret counts only as a whole value or a JSON string. */
  short: boolean
}

export function needle(name: string, text: string): Needle {
  return { name, text, short: text.length < 8 }
}

/** Amounts, counts and seconds: one of three digits is now and then that of a short secret, and no copy of it. */
const NUMBERS: ReadonlySet<number> = new Set([types.builtins.INT2, types.builtins.INT4, types.builtins.INT8])

/** Every place a needle was found in, as `needle in place`. */
export class LeakScan {
  readonly found = new Set<string>()
  readonly #forms: readonly { name: string; short: boolean; text: string; forms: readonly string[] }[]

  constructor(needles: readonly Needle[]) {
    this.#forms = needles.map(({ name, text, short }) => ({ name, short, text, forms: short ? [text] : formsOf(text) }))
  }

  text(place: string, text: string): void {
    for (const { name, short, text: secret, forms } of this.#forms) {
      const hit = short
        ? text === secret || text.includes(`"${secret}"`) || text.includes(`\\"${secret}\\"`)
        : forms.some((form) => text.includes(form))
      if (hit) this.found.add(`${name} in ${place}`)
    }
  }

  bytes(place: string, bytes: Buffer): void {
    for (const encoding of ['latin1', 'hex', 'base64'] as const) this.text(place, bytes.toString(encoding))
  }

  /** Every column of every row of every table of the service's own schemas. */
  async database(pool: Pool): Promise<number> {
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema in ('public', 'simnet') and table_type = 'BASE TABLE'`,
    )
    let cells = 0
    for (const { name } of tables) {
      const { rows, fields } = await pool.query<Record<string, unknown>>(`select * from ${name}`)
      for (const row of rows) {
        for (const { name: column, dataTypeID } of fields) {
          cells += 1
          const value = row[column]
          this.#cell(`${name}.${column}`, NUMBERS.has(dataTypeID) ? `number ${value}` : value)
        }
      }
    }
    return cells
  }

  #cell(place: string, value: unknown): void {
    if (value === null) return
    if (Buffer.isBuffer(value)) this.bytes(place, value)
    else if (typeof value === 'object' && !(value instanceof Date)) this.text(place, JSON.stringify(value))
    else this.text(place, String(value))
  }
}

/** As it is, grouped, as hex, in base64 of either alphabet at any offset, and as the bare hash that any reader could look up. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  const sha256 = createHash('sha256').update(text).digest()
  const forms = [text, bytes.toString('hex'), sha256.toString('hex'), ...base64Forms(bytes), ...base64Forms(sha256)]
  if (/^\d{13,19}$/.test(text)) {
    for (const separator of [' ', '-', '.']) forms.push((text.match(/\d{1,4}/g) ?? []).join(separator))
  }
  return forms
}

/** What every base64 text that holds the bytes contains, in every alignment. */
function base64Forms(bytes: Buffer): string[] {
  const standard = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '')
    return encoded.slice(offset === 0 ? 0 : offset + 1, -1)
  })
  // In the alphabet of URLs too, where that is another one.
  return [...new Set(standard.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]))]
}
