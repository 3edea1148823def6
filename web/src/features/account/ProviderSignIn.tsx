import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { School } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { sessionQuery } from '../../api/account'
import { useAction } from '../../api/action'
import { beginByProvider } from '../../api/provider'
import { t, type PlainKey } from '../../lib/messages'
import { paths } from '../../screens'
import { messageOf } from '../../lib/problem'

/** Messages for a return that did not sign in, by the outcome in the address. */
const ENDS = {
  cancelled: 'account.provider.cancelled',
  forgotten: 'account.provider.forgotten',
  refused: 'account.provider.refused',
  unavailable: 'problem.provider-unavailable',
  'no-account': 'account.provider.noAccount',
  another: 'account.provider.another',
  closed: 'problem.account-inactive',
  failed: 'account.provider.failed',
} as const satisfies Record<string, PlainKey>

const isEnd = (end: string): end is keyof typeof ENDS => Object.hasOwn(ENDS, end)

type Props = {
  /** Outcome of a return; null without a return. */
  end: string | null
  next: string | null
  remember: boolean
  /** Reports a failure to show above the form; null when a new try begins. */
  onFailure: (message: string | null) => void
}

/** Sign-in with the college's provider; leads away from this page. */
export function ProviderSignIn({ end, next, remember, onFailure }: Props) {
  const provider = useQuery(sessionQuery).data?.provider ?? ''
  const begin = useAction(beginByProvider)
  const [leaving, setLeaving] = useState(false)

  const navigate = useNavigate()
  const reportEnd = useEffectEvent((reason: string) => {
    onFailure(t(isEnd(reason) ? ENDS[reason] : 'account.provider.failed'))
    // Removes the outcome from the address, so that a reload or a bookmark does not show the failure again.
    void navigate(paths.login(next ?? undefined), { replace: true })
  })
  useEffect(() => {
    if (end !== null) reportEnd(end)
  }, [end])

  // The Back button may restore this page with the button still busy.
  useEffect(() => {
    const stay = () => setLeaving(false)
    addEventListener('pageshow', stay)
    return () => removeEventListener('pageshow', stay)
  }, [])

  async function leave() {
    onFailure(null)
    setLeaving(true)
    const outcome = await begin.run({ next: next ?? '', remember })
    if (outcome.ok) return location.assign(outcome.output.location)
    setLeaving(false)
    onFailure(messageOf(outcome.error))
  }

  return (
    <Button variant="default" leftSection={<School />} loading={leaving} onClick={() => void leave()}>
      {t('account.provider.signIn', { provider })}
    </Button>
  )
}
