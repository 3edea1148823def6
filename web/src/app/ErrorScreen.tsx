import { Button, Group, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { isRouteErrorResponse, Link, useRouteError } from 'react-router'
import { ProblemError } from '../lib/problem'
import { ChunkLoadError } from '../lib/chunks'
import classes from './ErrorScreen.module.css'
import { homeOf, patterns } from '../lib/paths'
import { storedRole } from '../lib/storage'
import { useTitle } from '../lib/title'

type Report = { text: string; advice: string; reload: boolean }

function reportOf(error: unknown): Report {
  if (isRouteErrorResponse(error)) {
    return {
      text: `${error.status} ${error.statusText}`,
      advice: error.status === 404 ? 'There is no such page. The address may be old or mistyped.' : '',
      reload: false,
    }
  }
  if (error instanceof ChunkLoadError) {
    return {
      text: error.message,
      advice: 'A part of the library did not arrive. Reload the page; if that does not help, check your connection.',
      reload: true,
    }
  }
  if (error instanceof ProblemError) return { text: error.message, advice: '', reload: true }
  return {
    text: error instanceof Error ? error.message : String(error),
    advice: 'This is a fault in the library. Reload the page, or go back to where you were.',
    reload: true,
  }
}

/** Whatever a route throws ends here: an unknown address, a chunk that did not load, a fault. */
export function ErrorScreen() {
  const error = useRouteError()
  const { text, advice, reload } = reportOf(error)
  const role = storedRole.get()
  useTitle('Error')
  useEffect(() => console.error(text, error), [text, error])

  return (
    <main id="main" className={classes.screen}>
      <Title order={1} tabIndex={-1}>
        Unexpected Application Error!
      </Title>
      <Text size="lg" mt="md" role="alert">
        {text}
      </Text>
      {advice && (
        <Text c="dimmed" mt="xs">
          {advice}
        </Text>
      )}
      <Group mt="lg">
        {reload && <Button onClick={() => location.reload()}>Reload</Button>}
        <Button component={Link} to={role ? homeOf(role) : patterns.login} variant={reload ? 'default' : 'filled'}>
          {role ? 'Go to your home page' : 'Go to sign in'}
        </Button>
      </Group>
    </main>
  )
}
