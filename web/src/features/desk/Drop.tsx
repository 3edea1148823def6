import { Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { configQuery } from '../../api/config'
import { showsKeys, useAltKey } from '../../lib/altKey'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import type { Config } from '../../api/types'
import type { Desk } from '../../counter/queue'
import type { Mode } from '../../counter/tasks'
import classes from './Desk.module.css'

/** Returns the day as of which returns count: the last open day. */
const dayOf = ({ lastOpenDay, today }: Config): string => lastOpenDay ?? today

const asksForDrop = (state: unknown): boolean => typeof state === 'object' && state !== null && 'drop' in state

type DropButtonProps = { desk: Desk; mode: Mode | null; onSwitched: () => void }

/** Button that switches book-drop mode, for copies returned while the library was closed (R-DESK-11). */
export function DropButton({ desk, mode, onSwitched }: DropButtonProps) {
  const queries = useQueryClient()
  const config = useQuery(configQuery).data
  const isOn = mode?.kind === 'drop'
  const button = useRef<HTMLButtonElement>(null)
  useAltKey('KeyB', button, true)

  // Another screen may ask for book-drop mode in the navigation state.
  const isAsked = asksForDrop(useLocation().state)
  const navigate = useNavigate()
  const lastDay = config && dayOf(config)
  const begin = useEffectEvent((on: string) => {
    void turnOn(on)
    void navigate(paths.desk(), { replace: true })
  })
  useEffect(() => {
    if (isAsked && lastDay !== undefined) begin(lastDay)
  }, [isAsked, lastDay])

  async function turnOn(day: string) {
    desk.setMode({ kind: 'drop', day })
    // The page may have been open for days, so the day is reloaded; if that fails, the known day stays.
    const now = await queries.fetchQuery(configQuery).catch(() => null)
    if (now) desk.changeDay(day, dayOf(now))
  }

  return (
    <Button
      ref={button}
      aria-keyshortcuts="Alt+B"
      variant={isOn ? 'filled' : 'default'}
      aria-pressed={isOn}
      disabled={!config}
      onClick={() => {
        if (isOn) desk.setMode(null)
        else if (config) void turnOn(dayOf(config))
        onSwitched()
      }}
    >
      {t(showsKeys() ? 'desk.screen.dropModeKey' : 'desk.screen.dropMode')}
    </Button>
  )
}

/** Banner of book-drop mode: every scan is a return, as of this day. */
export function DropBanner({ desk, day }: { desk: Desk; day: string }) {
  const today = useQuery(configQuery).data?.today
  return (
    <div className={classes.mode}>
      <p role="status">{t('desk.screen.dropBanner')}</p>
      <TextInput
        type="date"
        label={t('desk.screen.dropDay')}
        description={t('desk.screen.dropDayHint')}
        required
        max={today}
        value={day}
        onChange={({ currentTarget: { value } }) => {
          if (value !== '') desk.setMode({ kind: 'drop', day: value })
        }}
      />
    </div>
  )
}
