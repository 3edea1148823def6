import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { clearPerson, signOut as signOutAction, uidOf } from '../api/account'
import { useAction } from '../api/action'
import type { User } from '../api/types'
import { forgetDrafts } from '../lib/drafts'
import { forgetNotes, sharedStore } from '../lib/outboxStore'
import { lazyChunk } from '../lib/lazyChunk'
import { t } from '../lib/messages'
import { paths } from '../screens'
import { ChevronDown, LogOut, UserRound } from 'lucide-react'
import { LateMenu } from './LateMenu'
import classes from './Shell.module.css'

const PersonList = lazyChunk('person-list', () => import('./PersonList'))

/** Shows the signed-in user, with profile, language, colours, keyboard help and sign-out. */
export function PersonMenu({ user }: { user: User }) {
  const { leave } = useSignOut()
  return (
    <LateMenu
      part={PersonList}
      target={
        <button type="button" className={classes.person} aria-label={t('app.person.menu', { name: user.name })}>
          <UserRound className={classes.personIcon} />
          <span className={classes.personName} dir="auto">
            {user.name}
          </span>
          <span className={classes.initials} aria-hidden="true" data-initials={initialsOf(user.name)} />
          <ChevronDown data-size="16" />
        </button>
      }
    >
      {(menu) => <PersonList menu={menu} user={user} onSignOut={() => void leave()} />}
    </LateMenu>
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
