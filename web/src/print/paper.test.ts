import { expect, it } from 'vitest'
import { pageRule } from './paper'

it('R-DESK-7 a roll is as long as its receipt, and A5 is A5', () => {
  expect(pageRule('58mm', 378)).toBe('@page { size: 58mm 110mm; margin: 4mm; }')
  expect(pageRule('80mm', 96)).toBe('@page { size: 80mm 35mm; margin: 4mm; }')
  expect(pageRule('a5', 378)).toBe('@page { size: 148mm 210mm; margin: 12mm; }')
})
