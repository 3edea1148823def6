import { expect, it } from 'vitest'
import type { DeskAnswer, Receipt } from '../api/types'
import { offersOf } from './offers'
import type { Request, LogEntry } from './tasks'

const plain: DeskAnswer = {
  outcome: 'shown',
  class: 'ok',
  text: '',
  messages: [],
  at: '2026-11-21T06:00:00Z',
  person: null,
  choices: [],
  blocks: [],
  explain: [],
}
const block = (id: string, overridable: boolean): DeskAnswer['blocks'][number] => ({
  id,
  code: `block.${id}`,
  facts: {},
  text: '',
  overridable,
})

const kindsOf = (answer: Partial<DeskAnswer>, request: Partial<Request> = {}) => {
  const entry: LogEntry = {
    id: '1',
    label: 'L1',
    outcome: { kind: 'answered', request: { code: 'L1', ...request }, answer: { ...plain, ...answer } },
  }
  return offersOf(entry, new Map()).map(({ kind }) => kind)
}

it('R-DESK-5: a reason may be given only where every block can be overridden', () => {
  expect(kindsOf({ blocks: [block('limit', true), block('owes', true)] })).toEqual(['override'])
  expect(kindsOf({ blocks: [block('limit', true), block('withdrawn', false)] })).toEqual([])
  expect(kindsOf({})).toEqual([])
})

it('R-DESK-7, R-DESK-11: a fine is offered to be taken, and not at the book drop', () => {
  const charge = { id: 1, open: 20 } as NonNullable<DeskAnswer['charge']>
  expect(kindsOf({ charge, charged: 7 })).toEqual(['fine'])
  expect(kindsOf({ charge, charged: 7 }, { intent: 'return', returnedOn: '2026-11-20' })).toEqual([])
  expect(kindsOf({ charge, charged: null })).toEqual([])
})

it('R-DESK-11: damage is told of a returned copy that is still in use', () => {
  const copy = (state: string) => ({ barcode: 'L1', state }) as NonNullable<DeskAnswer['copy']>
  expect(kindsOf({ outcome: 'returned', copy: copy('to-shelve') })).toEqual(['damaged'])
  expect(kindsOf({ outcome: 'returned', copy: copy('in-repair') })).toEqual([])
  expect(kindsOf({ outcome: 'lent', copy: copy('on-loan') })).toEqual([])
})

it('R-DESK-4, R-DESK-7: a payment leads to its receipt and can be undone; a failure is tried again', () => {
  const receipt = { number: '2026/1' } as Receipt
  const task = { kind: 'undo', change: 3 } as const
  const settled = { kind: 'settled', task, words: ['₹20 taken'], receipt, change: 9 } as const
  expect(offersOf({ id: '1', label: 'Take ₹20', outcome: settled }, new Map())).toEqual([
    { kind: 'receipt', receipt },
    { kind: 'undo', change: 9 },
  ])
  expect(offersOf({ id: '1', label: 'L1', outcome: { kind: 'failed', reason: 'x', task } }, new Map())).toEqual([
    { kind: 'again' },
  ])
})

it('R-DESK-2: a title without copies leads to where one is added', () => {
  const book = { id: 4 } as NonNullable<DeskAnswer['book']>
  const messages = [{ code: 'desk.noCopies', params: {}, text: 'No copies yet.' }]
  expect(kindsOf({ book, messages })).toEqual(['add-copy'])
})
