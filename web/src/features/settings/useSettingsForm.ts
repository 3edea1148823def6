import { useEffect, useState } from 'react'
import { useBeforeUnload } from 'react-router'
import { useAction } from '../../api/action'
import type { Preview, Save, Saved } from '../../api/settings'
import type { Effect } from '../../api/types'
import { focusFirstError } from '../../lib/forms'
import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'
import { tabStorage } from '../../lib/storage'
import { merge, same, type Conflict } from './merge'

type Draft<V> = { values: V; base: V; etag: string }

type Options<V, D> = {
  /** Where what is typed is kept until it is saved. */
  draft: string
  loaded: Saved<D>
  valuesOf: (document: D) => V
  documentOf: (values: V) => D
  save: Save<D>
  preview?: Preview<D>
  /** What is saved by now. */
  loadAgain: () => Promise<Saved<D>>
}

function readDraft<V>(name: string): Draft<V> | null {
  try {
    return JSON.parse(tabStorage.read(name) ?? 'null') as Draft<V> | null
  } catch {
    return null
  }
}

/**
 * A document of the settings while it is edited. What is typed is kept in the tab until it is saved or given up; before it
 * is saved its effect on the open loans is shown (R-RULE-5); and of what somebody else saved meanwhile nothing is lost.
 */
export function useSettingsForm<V, D>(options: Options<V, D>) {
  const { draft, loaded, valuesOf, documentOf, loadAgain } = options
  const [kept] = useState(() => readDraft<V>(draft))
  const [base, setBase] = useState({
    values: kept?.base ?? valuesOf(loaded.document),
    etag: kept?.etag ?? loaded.etag,
  })
  const [values, setValues] = useState<V>(kept?.values ?? base.values)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [failure, setFailure] = useState<unknown>(null)
  const [conflicts, setConflicts] = useState<readonly Conflict[] | null>(null)
  const [effect, setEffect] = useState<Effect | null>(null)
  const save = useAction(options.save, { done: () => t('settings.saved') })
  const preview = useAction<D, Effect>(options.preview ?? NO_PREVIEW)
  const dirty = !same(values, base.values)

  useEffect(() => {
    if (dirty) tabStorage.write(draft, JSON.stringify({ values, base: base.values, etag: base.etag }))
    else tabStorage.remove(draft)
  }, [draft, dirty, values, base])

  useBeforeUnload((event) => {
    if (dirty) event.preventDefault()
  })

  function startFrom({ document, etag }: Saved<D>) {
    const next = valuesOf(document)
    setBase({ values: next, etag })
    setValues(next)
    setErrors({})
    setConflicts(null)
  }

  /** A refusal goes to its fields, or in one sentence to the end of the form. */
  function fail(error: unknown) {
    setEffect(null)
    const fields = error instanceof ProblemError ? error.fields : {}
    setErrors(fields)
    if (Object.keys(fields).length === 0) setFailure(error)
    else focusFirstError(fields)
  }

  async function meet() {
    setEffect(null)
    try {
      const now = await loadAgain()
      const theirs = valuesOf(now.document)
      const met = merge(base.values, theirs, values)
      setBase({ values: theirs, etag: now.etag })
      setValues(met.values)
      setConflicts(met.conflicts)
    } catch (error) {
      fail(error)
    }
  }

  async function store() {
    const outcome = await save.run({ document: documentOf(values), etag: base.etag })
    if (outcome.ok) {
      setEffect(null)
      startFrom(outcome.output)
    } else if (outcome.error instanceof ProblemError && outcome.error.code === 'stale') await meet()
    else fail(outcome.error)
  }

  /** Saves; where open loans change, only after that was shown. */
  async function submit() {
    setFailure(null)
    setErrors({})
    if (!options.preview) return store()
    const outcome = await preview.run(documentOf(values))
    if (!outcome.ok) return fail(outcome.error)
    const { finesChanged, dueDatesMoved } = outcome.output
    if (finesChanged === 0 && dueDatesMoved === 0) await store()
    else setEffect(outcome.output)
  }

  return {
    values,
    change: (next: V) => setValues(next),
    errors,
    failure,
    conflicts,
    effect,
    dirty,
    pending: save.pending || preview.pending,
    submit,
    store,
    closeEffect: () => setEffect(null),
    /** Gives up what was typed. */
    discard() {
      setValues(base.values)
      setErrors({})
      setFailure(null)
      setConflicts(null)
    },
  }
}

export type SettingsForm<V> = Omit<ReturnType<typeof useSettingsForm<V, unknown>>, 'values' | 'change'> & {
  values: V
  change: (next: V) => void
}

/** Of what touches no loan. */
const NO_PREVIEW: Preview<unknown> = { send: () => Promise.reject(new Error('There is no preview')) }
