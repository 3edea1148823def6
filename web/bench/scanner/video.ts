/**
 * Film of cards for the browser's fake camera: concatenated JPEGs, which Chromium loops at 30 frames per second.
 * White and black fields along the top of each frame encode the number of the card in view.
 */
import { blurred, drawn, randomFrom, toJpeg, toRgba, type Card, type Grey } from './cards'

export const WIDTH = 1280
export const HEIGHT = 720
export const FIELD = 40
export const FIELDS = 16

/** Number of frames with a card in view, and of frames with an empty table after it. */
export const SHOWN = 36
export const EMPTY = 9

const TABLE = 96
/** Part of a frame for the card. */
const INNER = { width: 720, height: 480 }

function numbered(inner: Grey | null, number: number): Buffer {
  const data = new Float32Array(WIDTH * HEIGHT).fill(TABLE)
  if (inner) {
    const left = (WIDTH - inner.width) / 2
    const top = (HEIGHT - inner.height) / 2
    for (let y = 0; y < inner.height; y += 1) {
      data.set(inner.data.subarray(y * inner.width, (y + 1) * inner.width), (top + y) * WIDTH + left)
    }
  }
  for (let field = 0; field < FIELDS; field += 1) {
    const value = (number >> field) & 1 ? 235 : 20
    for (let y = 0; y < FIELD; y += 1) data.fill(value, y * WIDTH + field * FIELD, y * WIDTH + (field + 1) * FIELD)
  }
  return toJpeg(toRgba({ data, width: WIDTH, height: HEIGHT }), 85)
}

export type Film = { jpegs: Buffer; cardOf: (number: number) => number | null }

/**
 * Films cards one after the other, swaying by 5 degrees to either side and going in and out of focus, at `module`
 * pixels per narrowest bar.
 */
export function film(cards: readonly Card[], module: number, shown = SHOWN, empty = EMPTY): Film {
  const frames: Buffer[] = []
  for (const [at, card] of cards.entries()) {
    const random = randomFrom(at + 1)
    const phase = random() * 2 * Math.PI
    // The card sways back over the same pictures with the same number, so only half of them are drawn.
    const half = Math.ceil(shown / 2)
    const there = Array.from({ length: half }, (_, step) => {
      const turn = phase + (step / half) * Math.PI
      const look = { ...INNER, module, angle: 5 * Math.cos(turn), ink: 35, paper: 215, table: TABLE }
      const drift = { dx: 24 * Math.sin(turn), dy: 12 * Math.cos(turn) }
      const sigma = 0.5 + 0.4 * (1 + Math.sin(phase + step / 3))
      return numbered(blurred(drawn(card, { ...look, ...drift }), sigma), at + 1)
    })
    frames.push(...there, ...there.toReversed().slice(0, shown - half))
    const nothing = numbered(null, 0)
    for (let n = 0; n < empty; n += 1) frames.push(nothing)
  }
  return { jpegs: Buffer.concat(frames), cardOf: (number) => (number === 0 ? null : number - 1) }
}
