import { ActionIcon } from '@mantine/core'
import { useReducedMotion } from '@mantine/hooks'
import { useEffect, useState, type FocusEvent, type ReactNode } from 'react'
import { t } from '../../../lib/messages'
import { PauseIcon, PlayIcon } from '../../../ui/icons'
import classes from './Carousel.module.css'

export type Slide = {
  name: string
  /** How long it stands before the next one follows. */
  interval: number
  content: ReactNode
}

/**
 * Slides that follow each other. It waits while somebody points at it or has the focus in it, can be paused, and stands
 * still under reduced motion until it is started by hand.
 */
export function Carousel({ label, slides }: { label: string; slides: readonly Slide[] }) {
  const still = useReducedMotion(false, { getInitialValueInEffect: false })
  const [chosen, setChosen] = useState<'play' | 'pause' | null>(null)
  const [held, setHeld] = useState(false)
  const [current, setCurrent] = useState(0)
  const playing = chosen === null ? !still : chosen === 'play'
  const interval = slides[current]?.interval ?? 0

  useEffect(() => {
    if (!playing || held) return
    const timer = setTimeout(() => setCurrent((current + 1) % slides.length), interval)
    return () => clearTimeout(timer)
  }, [playing, held, current, interval, slides.length])

  function onBlur(event: FocusEvent) {
    if (!event.currentTarget.contains(event.relatedTarget)) setHeld(false)
  }

  return (
    // Pointing at it or tabbing into it only holds the slides; everything to press is a button inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      className={classes.carousel}
      aria-label={label}
      aria-roledescription={t('books.carousel.role')}
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
            aria-roledescription={t('books.carousel.slideRole')}
            aria-label={t('books.carousel.position', { index: index + 1, count: slides.length, name })}
            className={classes.slide}
            data-current={index === current || undefined}
            inert={index !== current}
          >
            {content}
          </div>
        ))}
      </div>
      <div className={classes.controls}>
        {slides.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            className={classes.dot}
            aria-label={t('books.carousel.show', { index: index + 1, name })}
            aria-current={index === current || undefined}
            onClick={() => setCurrent(index)}
          />
        ))}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={playing ? t('books.carousel.pause') : t('books.carousel.play')}
          onClick={() => setChosen(playing ? 'pause' : 'play')}
        >
          {playing ? <PauseIcon /> : <PlayIcon />}
        </ActionIcon>
      </div>
    </section>
  )
}
