import { expect, it } from 'vitest'
import { rollNumberOf } from './rollNumber'

it.each([
  ['  CS26-001 ', 'Code128', 'cs26-001'],
  ['CS26-001', 'QRCode', 'cs26-001'],
  ['A123456B', 'Codabar', '123456'],
  ['a123456d', 'Codabar', '123456'],
  ['A123456B', 'Code39', 'a123456b'],
  ['012345678905', 'UPCA', '012345678905'],
])('R-SCAN-2: %j in %s is the roll number %s', (text, format, rollNumber) => {
  expect(rollNumberOf({ text, format })).toBe(rollNumber)
})
