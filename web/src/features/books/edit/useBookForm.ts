import { useForm } from '@mantine/form'
import { useRef, useState } from 'react'
import { useBlocker } from 'react-router'
import { type Edit, useKeptEdit } from '../../../api/draft'
import type { Draft } from '../../../lib/drafts'
import { showAtFields } from '../../../lib/forms'
import { merge } from '../../../lib/merge'
import { ProblemError } from '../../../lib/problem'
import { paths } from '../../../screens'
import { addRules, type BookValues, NEW_BOOK, sameValues, updateRules } from './bookValues'
import { compare, type Difference } from './comparison'

/** The stored book, and the version that a save must name. */
export type Loaded = { values: BookValues; version: string }

/** Change between loading and saving: another librarian's save, or copies that were lent. */
export type Conflict = Loaded & { cause: 'saved' | 'lent'; differences: readonly Difference[] }

export type Failure = { message: string; detail: string | null }

/**
 * State of a book form. The input is kept in the tab until it is saved or discarded, over reloads and navigation.
 */
export function useBookForm(draft: Draft<Edit<BookValues>>, loaded: Loaded | null) {
  const [savedDraft, setSavedDraft] = useState(draft.read)
  const [origin, setOrigin] = useState<Loaded>(
    () =>
      (savedDraft && { values: savedDraft.base, version: savedDraft.version }) ??
      loaded ?? { values: NEW_BOOK, version: '' },
  )
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const leaving = useRef(false)
  const target = conflict ?? origin

  const form = useForm<BookValues>({
    mode: 'controlled',
    initialValues: savedDraft?.values ?? origin.values,
    validate: loaded ? updateRules(() => target.values.noOfBooks) : addRules,
  })
  const { values } = form
  const dirty = !sameValues(values, target.values)

  // The draft keeps the version loaded first, so that a conflict is detected again after a reload.
  useKeptEdit(draft, { values, base: origin.values, version: origin.version }, dirty && !leaving.current)
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      dirty &&
      !leaving.current &&
      currentLocation.pathname !== nextLocation.pathname &&
      // The draft survives sign-out and an ended session, so no question is needed.
      nextLocation.pathname !== paths.login(),
  )

  /** Restarts the form from `next` and drops the draft; input newer than the `sent` values is kept. */
  function startFrom(next: Loaded, sent?: BookValues) {
    setOrigin(next)
    setConflict(null)
    setFailure(null)
    setSavedDraft(null)
    form.setValues(sent ? merge(sent, next.values, form.getValues()).values : next.values)
    form.clearErrors()
  }

  return {
    form,
    dirty,
    blocker,
    failure,
    conflict,
    /** Version that the next save must name. */
    version: target.version,
    /** True if the fields show a restored draft. */
    restored: savedDraft !== null,
    keepRestored: () => setSavedDraft(null),
    startFrom,
    /** Drops the input. */
    discard: () => startFrom(conflict ?? loaded ?? origin),
    /** Ends the edit after a save, so that leaving asks no question. */
    finish() {
      leaving.current = true
      draft.remove()
    },
    beginSave() {
      setFailure(null)
    },
    /** Shows a conflict beside the edit. */
    showConflict(theirs: Loaded, cause: Conflict['cause']) {
      const { differences, merged } = compare(target.values, theirs.values, values)
      form.setValues(merged)
      setConflict({ ...theirs, cause, differences })
    },
    copies: target.values.noOfBooks,
    /** Shows a refused save at its fields, or in one sentence. */
    fail(message: string, error: unknown) {
      if (showAtFields(error, form.setErrors)) return
      setFailure({ message, detail: error instanceof ProblemError ? error.message : null })
    },
  }
}

export type BookFormState = ReturnType<typeof useBookForm>
