import { expect, it } from 'vitest'
import { lastReasons, rememberReason } from './reasons'

it('R-DESK-5: the five last reasons of a librarian are remembered, each once, newest first', () => {
  for (const reason of ['Exam', 'Ill', 'Teacher asked', 'Exam', 'Holiday', 'Rain', 'Strike']) {
    rememberReason(1, 'override', reason)
  }
  expect(lastReasons(1, 'override')).toEqual(['Strike', 'Rain', 'Holiday', 'Exam', 'Teacher asked'])
  expect(lastReasons(1, 'waive')).toEqual([])
  expect(lastReasons(2, 'override')).toEqual([])
})
