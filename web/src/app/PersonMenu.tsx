import { Button, Menu, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import { clearPerson, signOut as signOutAction, uidOf } from '../api/account'
import { useAction } from '../api/action'
import type { User } from '../api/types'
import { forgetDrafts } from '../lib/drafts'
import { forgetNotes, sharedStore } from '../lib/outboxStore'
import { chooseLanguage, currentLanguage, LANGUAGES, t, type Language } from '../lib/messages'
import { notify } from '../lib/notify'
import { paths } from '../screens'
import { ChevronDown, CircleQuestionMark, LogOut, ShieldCheck, UserRound } from 'lucide-react'
import classes from './Shell.module.css'
import { showKeyboardHelp } from './shortcuts'

/** Shows the signed-in user, with profile, language, colours, keyboard help and sign-out. */
export function PersonMenu({ user }: { user: User }) {
  const signOut = useSignOut()
  const { colorScheme, setColorScheme } = useMantineColorScheme()

  async function choose(language: Language) {
    try {
      await chooseLanguage(language)
    } catch (error) {
      console.error(error)
      notify.failure(t('common.languageFailed'))
    }
  }

  return (
    <Menu position="bottom-end" width={260} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <button type="button" className={classes.person} aria-label={t('app.person.menu', { name: user.name })}>
          <UserRound className={classes.personIcon} />
          <span className={classes.personName} dir="auto">
            {user.name}
          </span>
          <span className={classes.initials} aria-hidden="true" data-initials={initialsOf(user.name)} />
          <ChevronDown data-size="16" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label dir="auto">{user.email}</Menu.Label>
        {user.role === 'student' && (
          <Menu.Item component={Link} to={paths.profile()} leftSection={<UserRound data-size="18" />}>
            {t('app.nav.profile')}
          </Menu.Item>
        )}
        <Menu.Item component={Link} to={paths.security()} leftSection={<ShieldCheck data-size="18" />}>
          {t('security.title')}
        </Menu.Item>
        <Menu.Item
          className={classes.keys}
          leftSection={<CircleQuestionMark data-size="18" />}
          onClick={showKeyboardHelp}
        >
          {t('app.nav.help')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t('app.person.language')}</Menu.Label>
        <Menu.RadioGroup value={currentLanguage()} onChange={(language) => void choose(language as Language)}>
          {Object.entries(LANGUAGES).map(([language, name]) => (
            <Menu.RadioItem key={language} value={language} lang={language}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('app.person.colours')}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as 'auto' | 'light' | 'dark')}>
          <Menu.RadioItem value="auto">{t('app.person.coloursAuto')}</Menu.RadioItem>
          <Menu.RadioItem value="light">{t('app.person.coloursLight')}</Menu.RadioItem>
          <Menu.RadioItem value="dark">{t('app.person.coloursDark')}</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut.leave()}>{t('app.nav.logout')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** "AN" for "Arjun Nair": first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return [...new Set([words[0], words.at(-1)])]
    .map((word) => [...letters.segment(word ?? '')][0]?.segment ?? '')
    .join('')
    .toUpperCase()
}

/** Time limit of the wait for the sign-in screen, which takes seconds on a slow computer. */
const GONE_MS = 10_000

/** Ends the session on the server, then clears this browser's data of the person. */
function useSignOut() {
  const { run, pending } = useAction(signOutAction, { failed: () => t('app.signOutFailed') })
  const queries = useQueryClient()
  const navigate = useNavigate()
  const whenGone = useRef(() => {})
  useEffect(() => () => whenGone.current(), [])
  const leave = async () => {
    const uid = uidOf(queries)
    // Requests under way would be refused once the session has ended.
    await queries.cancelQueries()
    const { ok } = await run(null)
    if (!ok) {
      void queries.refetchQueries({ type: 'active' })
      return
    }
    // A screen that is still shown would request the cleared data again, without a session.
    const gone = new Promise<void>((resolve) => {
      whenGone.current = resolve
      setTimeout(resolve, GONE_MS)
    })
    await navigate(paths.login(), { replace: true })
    await gone
    clearPerson(queries)
    forgetDrafts()
    void forgetNotes(sharedStore(), 'desk', String(uid))
  }
  return { pending, leave }
}

export function Logout() {
  const { pending, leave } = useSignOut()
  return (
    <Button variant="default" size="sm" loading={pending} onClick={() => void leave()}>
      <LogOut data-size="18" className={classes.logoutIcon} />
      <span className={classes.logoutWord}>{t('app.nav.logout')}</span>
    </Button>
  )
}
