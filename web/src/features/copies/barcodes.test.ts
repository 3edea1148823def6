import { describe, expect, it } from 'vitest'
import { barcodeErrors, barcodesIn, withScanned } from './barcodes'

describe('barcodes scanned one after the other (R-COPY-3)', () => {
  it('takes one from a scanner and many from a pasted column', () => {
    expect(barcodesIn(' C-1001 ')).toEqual(['C-1001'])
    expect(barcodesIn('C-1\r\nC-2\n\nC-3\tC-4, C-5|C-6;C-7')).toEqual(['C-1', 'C-2', 'C-3', 'C-4', 'C-5', 'C-6', 'C-7'])
    expect(barcodesIn(' \n ')).toEqual([])
  })

  it('does not take the same one twice, in whatever case', () => {
    expect(withScanned(['C-1'], 'c-1')).toEqual({ list: ['C-1'], twice: ['c-1'] })
    expect(withScanned(['C-1'], 'C-2\nc-2')).toEqual({ list: ['C-1', 'C-2'], twice: ['c-2'] })
  })

  it('puts what the server refuses beside the barcode that it is about', () => {
    const { at, list } = barcodeErrors({ 'barcodes[1]': 'C-2 is taken.', barcodes: 'Too many.', title: 'Required.' })
    expect([...at]).toEqual([[1, 'C-2 is taken.']])
    expect(list).toBe('Too many.')
  })
})
