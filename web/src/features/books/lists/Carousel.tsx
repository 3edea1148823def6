import { ActionIcon } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import { useEffect, useState, type FocusEvent, type ReactNode } from 'react'
import { t } from '../../../lib/messages'
import { tabStorage } from '../../../lib/storage'
import { Pause, Play } from 'lucide-react'
import classes from './Carousel.module.css'

export type Slide = {
  name: string
  /** Time for which the slide is shown, milliseconds. */
  interval: number
  content: ReactNode
}

type Choice = 'play' | 'pause'

/** Storage key of the reader's choice, kept in the tab: a search unmounts the slides. */
const CHOICE = 'slides'

function storedChoice(): Choice | null {
  const stored = tabStorage.read(CHOICE)
  return stored === 'play' || stored === 'pause' ? stored : null
}

/**
 * Slides that advance by themselves for two rounds and stop on the last one. They wait while the pointer or the focus
 * is inside, can be paused, and under reduced motion do not start by themselves.
 */
export function Carousel({ label, slides }: { label: string; slides: readonly Slide[] }) {
  const still = useReducedMotion(false, { getInitialValueInEffect: false })
  const [chosen, setChosen] = useState(storedChoice)
  const [held, setHeld] = useState(false)
  const [current, setCurrent] = useState(0)
  // A slide is rendered only when it is shown or next, so that hidden slides fetch no pictures.
  const [made, setMade] = useState<ReadonlySet<number>>(new Set())
  const [rounds, setRounds] = useState(0)
  const isLast = current === slides.length - 1
  // In the second round the slides stop on the last one, so that no cover moves away under the finger.
  const playing = (chosen === null ? !still : chosen === 'play') && !(isLast && rounds > 0)
  const interval = slides[current]?.interval ?? 0
  const needed = playing ? [current, (current + 1) % slides.length] : [current]
  if (needed.some((index) => !made.has(index))) setMade(new Set([...made, ...needed]))

  useEffect(() => {
    if (!playing || held) return
    const timer = setTimeout(() => {
      setCurrent((current + 1) % slides.length)
      if (isLast) setRounds(rounds + 1)
    }, interval)
    return () => clearTimeout(timer)
  }, [playing, held, current, interval, isLast, rounds, slides.length])

  function choose(choice: Choice) {
    setChosen(choice)
    if (choice === 'play' && isLast && rounds > 0) {
      setCurrent(0)
      setRounds(0)
    }
    tabStorage.write(CHOICE, choice)
  }

  function onBlur(event: FocusEvent) {
    if (!event.currentTarget.contains(event.relatedTarget)) setHeld(false)
  }

  return (
    // Pointer and focus only pause the slides; every control is a button inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      className={classes.carousel}
      aria-label={label}
      aria-roledescription={t('books.slides.carousel')}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={onBlur}
    >
      <div className={classes.slides} aria-live={playing && !held ? 'off' : 'polite'}>
        {slides.map(({ name, content }, index) => (
          <div
            key={name}
            role="group"
            aria-roledescription={t('books.slides.slide')}
            aria-label={t('books.slides.place', { place: index + 1, count: slides.length, name })}
            className={classes.slide}
            data-current={index === current || undefined}
            inert={index !== current}
          >
            {made.has(index) && content}
          </div>
        ))}
      </div>
      <div className={classes.controls}>
        {slides.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            className={classes.dot}
            aria-label={t('books.slides.show', { place: index + 1, name })}
            aria-current={index === current || undefined}
            onClick={() => setCurrent(index)}
          />
        ))}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={playing ? t('books.slides.pause') : t('books.slides.play')}
          onClick={() => choose(playing ? 'pause' : 'play')}
        >
          {playing ? <Pause /> : <Play />}
        </ActionIcon>
      </div>
    </section>
  )
}
