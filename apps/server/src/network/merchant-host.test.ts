import { expect, test } from 'vitest'
import { merchantHost } from './merchant-host.ts'

test.for([
  ['https://shop.example', 'shop.example'],
  ['https://SHOP.Example/', 'shop.example'],
  ['http://shop.example', 'shop.example'],
  ['https://shop.example:8443', 'shop.example'],
  ['https://shop.example/de/checkout?cart=1#pay', 'shop.example'],
  ['https://user:word@shop.example', 'shop.example'],
  ['https://shop.example.', 'shop.example'],
  ['https://www.shop.example', 'www.shop.example'],
  ['https://pay.shop.example', 'pay.shop.example'],
  ['https://bücher.example', 'xn--bcher-kva.example'],
  ['https://xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['http://[::1]:4000', '[::1]'],
  ['ftp://shop.example', null],
  ['shop.example', null],
  ['https://', null],
  ['', null],
] as const)('%s names %s', ([url, host]) => {
  expect(merchantHost(url)).toBe(host)
})
