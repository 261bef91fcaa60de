import * as act from '../../src/act.tsx'
import * as badge from '../../src/badge.tsx'
import * as button from '../../src/button.tsx'
import * as card from '../../src/card.tsx'
import * as chips from '../../src/chips.tsx'
import * as field from '../../src/field.tsx'
import * as foreign from '../../src/foreign.tsx'
import * as gauge from '../../src/gauge.tsx'
import * as icons from '../../src/icons.tsx'
import * as items from '../../src/items.tsx'
import * as lines from '../../src/lines.tsx'
import * as money from '../../src/money.tsx'
import * as notice from '../../src/notice.tsx'
import * as panel from '../../src/panel.tsx'
import * as party from '../../src/party.tsx'
import * as receipt from '../../src/receipt.tsx'
import * as say from '../../src/say.tsx'
import * as sheet from '../../src/sheet.tsx'
import * as signs from '../../src/signs.tsx'
import * as tick from '../../src/tick.tsx'
import * as timeline from '../../src/timeline.tsx'

const MODULES = [
  act,
  badge,
  button,
  card,
  chips,
  field,
  foreign,
  gauge,
  icons,
  items,
  lines,
  money,
  notice,
  panel,
  party,
  receipt,
  say,
  sheet,
  signs,
  tick,
  timeline,
]

/** Every part by its name: what is written with a capital is drawn, all else serves it. */
export const PARTS: ReadonlyMap<string, unknown> = new Map(
  MODULES.flatMap((module) => Object.entries(module)).filter(([name]) => /^[A-Z][a-z]/.test(name)),
)
