import { useState } from 'react'
import { useAction } from '../../api/action'
import { useEditDraft, useKeptEdit } from '../../api/draft'
import type { Preview, Save, Saved } from '../../api/settings'
import type { Effect } from '../../api/types'
import { focusBack, focusFirstError } from '../../lib/focus'
import { showAtFields } from '../../lib/forms'
import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'
import { merge, same, type Conflict } from './merge'

type Errors = Readonly<Record<string, string>>

/** What each form starts from. */
export type Part<D> = {
  loaded: Saved<D>
  /** Reads what is saved by now. */
  loadAgain: () => Promise<Saved<D>>
}

type Options<V, D> = Part<D> & {
  /** The name of its draft. */
  name: string
  /** The shape that the values of a draft must have. */
  sample: V
  valuesOf: (document: D) => V
  documentOf: (values: V) => D
  /** What is blank and must not be, in words at its place: the server would take it for "no limit", or not know the place. */
  blanksOf?: (values: V) => Errors
  save: Save<D>
  preview?: Preview<D>
  /** Whether a change has an effect to be shown; every one has if not said. */
  hasEffect?: (before: V, after: V) => boolean
}

/**
 * A document of the settings while it is edited. What is typed is kept in the tab until it is saved or given up; before it
 * is saved its effect on the open loans is shown (R-RULE-5); and of what somebody else saved meanwhile nothing is lost.
 */
export function useSettingsForm<V extends object, D>(options: Options<V, D>) {
  const { loaded, valuesOf, documentOf, loadAgain } = options
  const draft = useEditDraft(`settings ${options.name}`, options.sample)
  const [kept] = useState(draft.read)
  const [base, setBase] = useState({
    values: kept?.base ?? valuesOf(loaded.document),
    etag: kept?.version ?? loaded.etag,
  })
  const [values, setValues] = useState<V>(kept?.values ?? base.values)
  const [errors, setErrors] = useState<Errors>({})
  const [blanks, setBlanks] = useState<Errors>({})
  const [failure, setFailure] = useState<unknown>(null)
  const [conflicts, setConflicts] = useState<readonly Conflict[] | null>(null)
  const [effect, setEffect] = useState<Effect | null>(null)
  const save = useAction(options.save, { done: () => t('settings.saved') })
  const preview = useAction<D, Effect>(options.preview ?? NO_PREVIEW)
  const dirty = !same(values, base.values)

  useKeptEdit(draft, { values, base: base.values, version: base.etag }, dirty)

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
    if (!showAtFields(error, setErrors)) setFailure(error)
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
      // There is nothing to save any more: the button that was pressed is out of use.
      focusBack(null)
    } else if (outcome.error instanceof ProblemError && outcome.error.code === 'stale') await meet()
    else fail(outcome.error)
  }

  /** Saves; where open loans change, only after that was shown. */
  async function submit() {
    setFailure(null)
    setErrors({})
    const missing = options.blanksOf?.(values) ?? {}
    setBlanks(missing)
    if (Object.keys(missing).length > 0) return focusFirstError(missing)
    if (!options.preview || options.hasEffect?.(base.values, values) === false) return store()
    const outcome = await preview.run(documentOf(values))
    if (!outcome.ok) return fail(outcome.error)
    const { finesChanged, dueDatesMoved, forgets } = outcome.output
    if (finesChanged === 0 && dueDatesMoved === 0 && forgets === null) await store()
    else setEffect(outcome.output)
  }

  return {
    values,
    /** What was loaded or saved last. */
    saved: base.values,
    change: (next: V) => {
      setValues(next)
      setBlanks({})
    },
    errors: { ...errors, ...blanks },
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
      setBlanks({})
      setFailure(null)
      setConflicts(null)
    },
  }
}

export type SettingsForm<V extends object> = Omit<
  ReturnType<typeof useSettingsForm<V, unknown>>,
  'values' | 'change'
> & {
  values: V
  change: (next: V) => void
}

/** Of what touches no loan. */
const NO_PREVIEW: Preview<unknown> = {
  name: 'no preview',
  send: () => Promise.reject(new Error('There is no preview')),
}
