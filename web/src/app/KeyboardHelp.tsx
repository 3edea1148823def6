import { Kbd, Switch, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { sessionQuery } from '../api/account'
import { t, type PlainKey } from '../lib/messages'
import { screensOf } from '../screens'
import { Dialog } from '../ui/Dialog'
import '../ui/styles'
import classes from './KeyboardHelp.module.css'
import { singleKeys } from './shortcuts'

/** Shortcuts of every screen. Arrow keys, Enter and Escape are handled by their components. */
const SHORTCUTS = [
  { keys: ['Ctrl', 'K'], does: 'app.help.palette' },
  { keys: ['/'], does: 'app.help.search', single: true },
  { keys: ['←', '→', '↑', '↓'], does: 'app.help.arrows' },
  { keys: ['Enter'], does: 'app.help.enter' },
  { keys: ['Esc'], does: 'app.help.escape' },
  { keys: ['?'], does: 'app.help.show', single: true },
] as const satisfies readonly { keys: readonly string[]; does: PlainKey; single?: true }[]

/** Shortcuts of the desk, which work while the focus is in its scan box. */
const DESK = [
  { keys: ['Alt', 'Z'], does: 'app.help.desk.undo' },
  { keys: ['Alt', 'T'], does: 'app.help.desk.take' },
  { keys: ['Alt', 'W'], does: 'app.help.desk.waive' },
  { keys: ['Alt', 'L'], does: 'app.help.desk.later' },
  { keys: ['Alt', 'E'], does: 'app.help.desk.extend' },
  { keys: ['Alt', 'B'], does: 'app.help.desk.drop' },
  { keys: ['Alt', 'P'], does: 'app.help.desk.print' },
  { keys: ['Alt', '1…9'], does: 'app.help.desk.choose' },
  { keys: ['Shift', 'Enter'], does: 'app.help.person' },
  { keys: ['Esc'], does: 'app.help.desk.close' },
] as const

/** Shortcut of librarians who keep the catalogue, on every screen (L8). */
const CATALOGUE = { keys: ['Alt', 'N'], does: 'app.help.quickAdd' } as const

/** Lists the keyboard shortcuts and the screens that Ctrl+K leads to. */
export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  const user = useQuery({ ...sessionQuery, enabled: false }).data?.user ?? null
  const [single, setSingle] = useState(singleKeys.areOn)

  function change(on: boolean) {
    singleKeys.switch(on)
    setSingle(on)
  }

  return (
    <Dialog onClose={onClose} title={t('app.help.title')}>
      <dl className={classes.list}>
        {[...SHORTCUTS, ...(user?.capabilities.includes('catalogue') ? [CATALOGUE] : [])].map((shortcut) => (
          <div key={shortcut.does} className={classes.row} data-off={('single' in shortcut && !single) || undefined}>
            <dt className={classes.keys}>
              {shortcut.keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd className={classes.does}>{t(shortcut.does)}</dd>
          </div>
        ))}
      </dl>
      {user?.capabilities.includes('desk') && (
        <>
          <Title order={3} mt="lg">
            {t('app.nav.desk')}
          </Title>
          <dl className={classes.list}>
            {DESK.map(({ keys, does }) => (
              <div key={does} className={classes.row}>
                <dt className={classes.keys}>
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dt>
                <dd className={classes.does}>{t(does)}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <Switch
        mt="lg"
        label={t('app.help.single')}
        description={t('app.help.singleWhy')}
        checked={single}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      <Title order={3} mt="lg">
        {t('app.palette.screens')}
      </Title>
      <ul className={classes.screens}>
        {screensOf(user).map(({ path, label }) => (
          <li key={path}>
            <Link to={path} onClick={onClose}>
              {label && t(label)}
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
