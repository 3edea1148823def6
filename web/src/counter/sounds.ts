import { storage } from '../lib/storage'
import type { Look } from './words'

/**
 * Frequencies and durations of the tones of each look. A question sounds like `attention`; the other looks are silent.
 */
const TONES: Readonly<Partial<Record<Look, readonly (readonly [hertz: number, seconds: number])[]>>> = {
  ok: [[880, 0.09]],
  attention: [
    [660, 0.09],
    [990, 0.12],
  ],
  keep: [
    [990, 0.09],
    [1320, 0.09],
    [990, 0.14],
  ],
  ask: [
    [660, 0.09],
    [990, 0.12],
  ],
  stop: [[160, 0.32]],
}

const STORED = 'deskSound'

export const sound = {
  isOn: () => storage.read(STORED) !== 'off',
  switch: (on: boolean) => storage.write(STORED, on ? 'on' : 'off'),
}

let audio: AudioContext | null = null

/** Plays the sound of an answer, for a librarian who looks at the books and not at the screen. */
export function play(what: Look): void {
  const tones = TONES[what]
  if (!tones || !sound.isOn() || typeof AudioContext === 'undefined') return
  audio ??= new AudioContext()
  // On a page without a press since it was loaded, such as one fed by a phone, the audio begins suspended.
  if (audio.state === 'suspended') void audio.resume().catch(() => undefined)
  let at = audio.currentTime
  for (const [hertz, seconds] of tones) {
    const tone = audio.createOscillator()
    const loudness = audio.createGain()
    tone.type = what === 'stop' ? 'sawtooth' : 'sine'
    tone.frequency.value = hertz
    // Without this short fade, every tone would end with a click.
    loudness.gain.setValueAtTime(0.2, at)
    loudness.gain.exponentialRampToValueAtTime(0.001, at + seconds)
    tone.connect(loudness).connect(audio.destination)
    tone.start(at)
    tone.stop(at + seconds)
    at += seconds
  }
}
