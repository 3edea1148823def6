import { useRef, useState } from 'react'
import { useAction } from '../../api/action'
import { useEditDraft, useKeptEdit } from '../../api/draft'
import type { Preview, Save, Saved } from '../../api/settings'
import type { Effect } from '../../api/types'
import { focusBack, focusFirstError } from '../../lib/focus'
import { showAtFields } from '../../lib/forms'
import { t } from '../../lib/messages'
import { ProblemError } from '../../lib/problem'
import { merge, same, type Conflict } from '../../lib/merge'

type Errors = Readonly<Record<string, string>>

/** Props that every settings form receives. */
export type Part<D> = {
  loaded: Saved<D>
  /** Reloads the saved document. */
  loadAgain: () => Promise<Saved<D>>
}

type Options<V, D> = Part<D> & {
  /** Name of the form's draft. */
  name: string
  /** Sample of the values; a draft of another shape is ignored. */
  sample: V
  valuesOf: (document: D) => V
  documentOf: (values: V) => D
  /** Returns errors for blank fields: the server would take them for "no limit", or could not name them. */
  findInvalidFields?: (values: V) => Errors
  save: Save<D>
  preview?: Preview<D>
  /** True if a change has an effect to show; by default every change. */
  hasEffect?: (before: V, after: V) => boolean
}

/**
 * State of an edited settings document. The input is kept in the tab until it is saved or discarded, its effect on open
 * loans is shown before saving (R-RULE-5), and another librarian's save is merged.
 */
export function useSettingsForm<V extends object, D>(options: Options<V, D>) {
  const { loaded, valuesOf, documentOf, loadAgain } = options
  const draft = useEditDraft(`settings ${options.name}`, options.sample)
  const [savedDraft] = useState(draft.read)
  const [base, setBase] = useState({
    values: savedDraft?.base ?? valuesOf(loaded.document),
    etag: savedDraft?.version ?? loaded.etag,
  })
  const [values, setValues] = useState<V>(savedDraft?.values ?? base.values)
  const [errors, setErrors] = useState<Errors>({})
  const [blanks, setBlanks] = useState<Errors>({})
  const [failure, setFailure] = useState<unknown>(null)
  const [conflicts, setConflicts] = useState<readonly Conflict[] | null>(null)
  const [effect, setEffect] = useState<Effect | null>(null)
  const movesNothing = useRef(false)
  const save = useAction(options.save, {
    done: () => t(movesNothing.current ? 'settings.savedAndNothingMoved' : 'settings.saved'),
  })
  const preview = useAction<D, Effect>(options.preview ?? NO_PREVIEW)
  const dirty = !same(values, base.values)

  useKeptEdit(draft, { values, base: base.values, version: base.etag }, dirty)

  /** Shows a refusal at its fields, or in one sentence at the end of the form. */
  function fail(error: unknown) {
    setEffect(null)
    if (!showAtFields(error, setErrors)) setFailure(error)
  }

  async function mergeTheirs() {
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
      const { document, etag } = outcome.output
      const saved = valuesOf(document)
      setEffect(null)
      setBase({ values: saved, etag })
      // Input typed while the request was under way is kept.
      setValues((now) => merge(values, saved, now).values)
      setErrors({})
      setConflicts(null)
      // The pressed button is disabled now, because nothing is left to save: the heading takes the focus.
      focusBack(null)
    } else if (outcome.error instanceof ProblemError && outcome.error.code === 'stale') await mergeTheirs()
    else fail(outcome.error)
  }

  /** Saves, after showing the effect if open loans change. */
  async function submit() {
    setFailure(null)
    setErrors({})
    const invalid = options.findInvalidFields?.(values) ?? {}
    setBlanks(invalid)
    if (Object.keys(invalid).length > 0) return focusFirstError(invalid)
    movesNothing.current = false
    if (!options.preview || options.hasEffect?.(base.values, values) === false) return store()
    const outcome = await preview.run(documentOf(values))
    if (!outcome.ok) return fail(outcome.error)
    const { finesChanged, dueDatesMoved, forgets } = outcome.output
    movesNothing.current = finesChanged === 0 && dueDatesMoved === 0 && forgets === null
    if (movesNothing.current) await store()
    else setEffect(outcome.output)
  }

  return {
    values,
    /** Values loaded or saved last. */
    saved: base.values,
    change: (next: V) => {
      setErrors((now) => unchanged(now, values, next))
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
    /** Drops the input. */
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

/** Returns the errors of the fields that have the same value in both; the others were said of another value. */
function unchanged(errors: Errors, before: object, after: object): Errors {
  return Object.fromEntries(Object.entries(errors).filter(([path]) => valueAt(before, path) === valueAt(after, path)))
}

const valueAt = (values: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], values)

/** Placeholder for the preview of settings that do not affect loans; never called. */
const NO_PREVIEW: Preview<unknown> = {
  name: 'no preview',
  send: () => Promise.reject(new Error('There is no preview')),
}
