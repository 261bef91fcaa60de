// Guarantee: customers who were erased after a backup was made are erased again by a list that is kept apart from it; a list that cannot be
// read changes nothing.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, revoke } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { createCustomer } from '../wallets/testing/customers.ts'
import { eraseAgain, noteErasure, readErasures } from './erasures.ts'

let service: TestService
let folder: string
beforeAll(async () => {
  service = await startTestService()
  folder = await mkdtemp(join(tmpdir(), 'mintmark-erasures-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await service?.close()
})

const AT = new Date('2026-01-02T03:04:05.000Z')

test('erased by the list: of both APIs, those who are not there counted, twice without complaint', async () => {
  const { merchant, app, pool } = service
  const { merchantId } = merchant
  const { session_id } = await createSession(merchant, { user_id: 'ann@again.example' })
  await revoke(merchant, session_id)
  const found = await pool.query("select id from customers where external_user_id = 'ann@again.example'")
  const customerId = String(found.rows[0].id)
  const customer = await createCustomer(merchant.wallet)
  const file = join(folder, 'erased')
  await noteErasure(file, { merchant_id: merchantId, customer_id: customerId }, AT)
  // As the log has it.
  const line = { level: 'warn', audit: 'customer_erased', merchant_id: merchantId, customer_id: customer }
  await writeFile(file, `${await readFile(file, 'utf8')}${JSON.stringify(line)}\n`)
  await noteErasure(file, { merchant_id: merchantId, customer_id: 'cus_0000000000000000000000' }, AT)
  const list = await readErasures(file)
  expect(list).toHaveLength(3)
  expect(await eraseAgain(app, list)).toEqual({ erased: 2, absent: 1 })
  expect(await eraseAgain(app, list)).toEqual({ erased: 2, absent: 1 })
  const { rows } = await pool.query(
    `select 1 from customers t where t::text like '%again.example%'
     union all select 1 from wallet_customers where first_name <> 'erased'`,
  )
  expect(rows).toEqual([])
})

test.each(['no json', '{"merchant_id":"ma_1"}', '[]'])(
  'a list with the line %s is refused by its number',
  async (line) => {
    const file = join(folder, 'broken')
    await writeFile(file, `{"merchant_id":"ma_1","customer_id":"cus_1"}\n${line}\n`)
    await expect(readErasures(file)).rejects.toThrow(/broken, line 2 names no .+ Nothing was changed\.$/)
    await expect(readErasures(join(folder, 'none'))).rejects.toThrow(/cannot be read \(ENOENT\)/)
  },
)
