import { expect, it } from 'vitest'
import { averageText, distributionOf, languageName, paragraphsOf, titleSize } from './bookRules'

it('finds the paragraphs of a description, whatever breaks its lines', () => {
  expect(paragraphsOf('One.\r\n\r\nTwo.\n \nThree.\nFour.\n')).toEqual(['One.', 'Two.', 'Three.', 'Four.'])
  expect(paragraphsOf(' \n ')).toEqual([])
})

it('names a language, and leaves alone what is no code', () => {
  expect(languageName('en')).toBe('English')
  expect(languageName('per')).toBe('Persian')
  expect(languageName('Old Norse, mostly')).toBe('Old Norse, mostly')
})

it('R-REV-2: the average has one decimal', () => {
  expect(averageText(4)).toBe('4.0 out of 5')
  expect(averageText(4.7)).toBe('4.7 out of 5')
})

it('counts the stars from five to one against the most frequent', () => {
  expect(distributionOf([1, 0, 0, 2, 4]).map(({ stars, share }) => [stars, share])).toEqual([
    [5, 1],
    [4, 0.5],
    [3, 0],
    [2, 0],
    [1, 0.25],
  ])
  expect(distributionOf([0, 0, 0, 0, 0]).every(({ share }) => share === 0)).toBe(true)
})

it('sets a title of a paragraph like a paragraph, counting characters rather than their halves', () => {
  expect(titleSize('Emma')).toBe('short')
  expect(titleSize('𝒜'.repeat(90))).toBe('short')
  expect(titleSize('a'.repeat(91))).toBe('long')
  expect(titleSize('a'.repeat(900))).toBe('endless')
})
