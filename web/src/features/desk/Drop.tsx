import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { openDayQuery } from '../../api/desk'
import { t } from '../../lib/messages'
import type { Desk, Mode } from '../../counter/queue'
import classes from './Desk.module.css'

type DropButtonProps = { desk: Desk; mode: Mode | null; onSwitched: () => void }

/** Switches to the book drop: what is scanned came back while the library was closed (R-DESK-11). */
export function DropButton({ desk, mode, onSwitched }: DropButtonProps) {
  const days = useQuery(openDayQuery).data
  const isOn = mode?.kind === 'drop'
  return (
    <Button
      variant={isOn ? 'filled' : 'default'}
      aria-pressed={isOn}
      disabled={!days}
      onClick={() => {
        if (days) desk.setMode(isOn ? null : { kind: 'drop', day: days.lastOpenDay ?? days.day })
        onSwitched()
      }}
    >
      {t('desk.screen.dropMode')}
    </Button>
  )
}

/** Says for as long as it is on that everything is returned, and as of which day. */
export function DropBanner({ desk, day }: { desk: Desk; day: string }) {
  const today = useQuery(openDayQuery).data?.day
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
