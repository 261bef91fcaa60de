import { bool, bytes, columns, nullable, oneOf, type RowOf, text, texts } from '../db/row.ts'
import { execute, many } from '../db/statement.ts'
import { originList } from '../platform/states.ts'
import { KEY_STATES, KEY_TRANSITIONS } from './states.ts'

const KEY = { id: text, state: oneOf(KEY_STATES), probe: nullable(bytes), seal: nullable(bytes) }
export type KeyRow = RowOf<typeof KEY>

export const listKeys = many('keys.list', `select ${columns(KEY)} from key_encryption_keys order by id`, KEY)

/** All of them: the second of two operators sees what the first did. */
export const lockKeys = many(
  'keys.lock_all',
  `select ${columns(KEY)} from key_encryption_keys order by id for update`,
  KEY,
)

/** Zero rows: it was added before. */
export const insertKey = execute(
  'keys.insert',
  `insert into key_encryption_keys (id, state, probe, seal, moved_at) values ($id, 'added', $probe, $seal, $at)
   on conflict on constraint key_encryption_keys_pkey do nothing`,
)

export const updateFormer = execute(
  'keys.update_former',
  `update key_encryption_keys set state = 'former', probe = $probe, seal = $seal, moved_at = $at
   where id = $id and state in (${originList(KEY_TRANSITIONS, 'former')})`,
)

/** The unique index allows one: the key before must have been moved. */
export const updateCurrent = execute(
  'keys.update_current',
  `update key_encryption_keys set state = 'current', probe = $probe, seal = $seal, moved_at = $at
   where id = $id and state in (${originList(KEY_TRANSITIONS, 'current')})`,
)

/** Refused by the foreign keys while the key wraps a number or a webhook secret, and final for whoever is late. */
export const deleteKey = execute('keys.delete', `delete from key_encryption_keys where id = $id and state <> 'current'`)

const NODE = { name: text, proven: texts, wrapsWith: text, isAlive: bool }

/** A process reports every few seconds. One that was not heard of for this long has ended, or is cut off from the database. */
const ALIVE = `seen_at > clock_timestamp() - interval '30 seconds'`

export const upsertNode = execute(
  'keys.upsert_node',
  `insert into key_nodes (id, name, proven, wraps_with, seen_at)
   values ($nodeId, $name, $proven::text[], $wrapsWith, clock_timestamp())
   on conflict on constraint key_nodes_pkey do update
     set proven = excluded.proven, wraps_with = excluded.wraps_with, seen_at = excluded.seen_at`,
)

export const listNodes = many(
  'keys.list_nodes',
  `select name, proven, wraps_with, ${ALIVE} as is_alive from key_nodes order by name`,
  NODE,
)

export const deleteNode = execute('keys.delete_node', 'delete from key_nodes where id = $nodeId')

/** Those of processes that were killed. */
export const deleteLostNodes = execute(
  'keys.delete_lost_nodes',
  `delete from key_nodes where seen_at < clock_timestamp() - interval '1 day'`,
)
