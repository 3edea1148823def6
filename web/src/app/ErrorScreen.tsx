import { Button, Group, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { isRouteErrorResponse, Link, useRouteError } from 'react-router'
import { API } from '../api/client'
import { ProblemError } from '../lib/problem'
import { currentLanguage, t } from '../lib/messages'
import { ChunkLoadError } from '../lib/chunks'
import { finishPreloader } from './preloader'
import classes from './ErrorScreen.module.css'
import { homeOf, paths } from '../screens'
import { storedRole } from '../lib/storage'
import { useTitle } from '../lib/title'

/** Interval of checking whether the server answers again. */
const RETRY_MS = 10_000

/** Returns the error's text, and advice that goes beyond it. */
function reportOf(error: unknown): { text: string; advice?: string } {
  if (isRouteErrorResponse(error)) {
    // R-SHELL-2 specifies this text in English only.
    const text = currentLanguage() === 'en' ? `${error.status} ${error.statusText}` : String(error.status)
    return error.status === 404 ? { text, advice: t('app.error.notFound') } : { text }
  }
  if (error instanceof ChunkLoadError)
    return navigator.onLine ? { text: error.message, advice: t('app.error.chunk') } : { text: t('common.unreachable') }
  if (error instanceof ProblemError) return { text: error.message }
  return { text: error instanceof Error ? error.message : String(error), advice: t('app.error.fault') }
}

const reload = () => location.reload()

/** Shows everything that a route throws: an unknown address, a chunk that did not load, a fault. */
export function ErrorScreen() {
  useEffect(finishPreloader, [])
  return (
    <main id="main" tabIndex={-1} className={classes.screen}>
      <Report />
    </main>
  )
}

/** Shows a route's error inside the frame, so that other screens stay reachable. */
export function ErrorInFrame() {
  return (
    <div className={classes.screen}>
      <Report />
    </div>
  )
}

function Report() {
  const error = useRouteError()
  const { text, advice } = reportOf(error)
  // An unknown address stays unknown.
  const mayHelp = !isRouteErrorResponse(error)
  // True for temporary failures, after which the page retries by itself.
  const problem = error instanceof ProblemError ? error : null
  const isServer = problem !== null && (problem.status || 500) >= 500
  const isChunk = error instanceof ChunkLoadError
  const mayPass = isServer || isChunk
  // True if only the network is missing.
  const isOffline = isChunk ? !navigator.onLine : isServer && !problem.status
  const role = storedRole.get()
  useTitle(t('app.error.title'))
  useEffect(() => console.error(text, error), [text, error])
  useEffect(() => {
    if (!mayPass) return
    const ask = () => void fetch(`${API}/auth/session`).then(({ ok }) => ok && reload(), console.warn)
    const timer = isServer ? setInterval(ask, RETRY_MS) : undefined
    addEventListener('online', reload)
    return () => {
      clearInterval(timer)
      removeEventListener('online', reload)
    }
  }, [mayPass, isServer])

  return (
    <>
      <Title order={1} tabIndex={-1}>
        {t(isOffline ? 'app.error.cut' : isServer ? 'app.error.title' : 'app.error.heading')}
      </Title>
      <Text size="lg" mt="md" role="alert">
        {text}
      </Text>
      {advice && (
        <Text c="dimmed" mt="xs">
          {advice}
        </Text>
      )}
      {problem?.requestId && (
        <Text c="dimmed" mt="xs">
          {t('frame.errorId', { id: problem.requestId })}
        </Text>
      )}
      <Group mt="lg">
        {mayHelp && <Button onClick={reload}>{t(isOffline || isServer ? 'common.retry' : 'app.error.reload')}</Button>}
        <Button component={Link} to={role ? homeOf(role) : paths.login()} variant={mayHelp ? 'default' : 'filled'}>
          {role ? t('app.error.home') : t('app.error.signIn')}
        </Button>
      </Group>
    </>
  )
}
