/** Longest time that callbacks wait for the end of a press, in milliseconds: a pointer that stays down is none. */
const LONGEST = 2000

/** Time after the release in which a finger's click follows, in milliseconds. */
const CLICK = 100

const waiting: (() => void)[] = []
let pressed = false
let timer = 0

function end(): void {
  clearTimeout(timer)
  pressed = false
  // After the handlers of the click.
  setTimeout(() => {
    for (const run of waiting.splice(0)) run()
  })
}

function endIn(time: number): void {
  clearTimeout(timer)
  timer = window.setTimeout(end, time)
}

addEventListener(
  'pointerdown',
  () => {
    pressed = true
    endIn(LONGEST)
  },
  true,
)
addEventListener('pointerup', () => endIn(CLICK), true)
for (const type of ['click', 'pointercancel']) addEventListener(type, end, true)

/**
 * Runs a callback in a microtask, or after the click if a pointer is down: an answer that moves rows between a press and
 * its click would lose the click, or give it to another row.
 */
export function notDuringPress(callback: () => void): void {
  if (pressed) waiting.push(callback)
  else queueMicrotask(callback)
}
