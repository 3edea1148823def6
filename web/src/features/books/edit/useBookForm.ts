import { useForm } from '@mantine/form'
import { useRef, useState } from 'react'
import { useBlocker } from 'react-router'
import { type Edit, useKeptEdit } from '../../../api/draft'
import type { Draft } from '../../../lib/drafts'
import { showAtFields } from '../../../lib/forms'
import { ProblemError } from '../../../lib/problem'
import { paths } from '../../../screens'
import { addRules, type BookValues, NEW_BOOK, sameValues, updateRules } from './bookValues'
import { compare, type Difference } from './comparison'

/** The book as the server has it, and the version that a save of it must name. */
export type Loaded = { values: BookValues; version: string }

/** What came between loading and saving: somebody else's save, or copies that were lent. */
export type Conflict = Loaded & { cause: 'saved' | 'lent'; differences: readonly Difference[] }

export type Failure = { message: string; detail: string | null }

/**
 * The state of a book form. What is typed is kept in the tab until it is saved or thrown away, so that neither a reload
 * nor a step to another page loses it. Where nothing was typed yet, the fields begin with what is `offered`.
 */
export function useBookForm(draft: Draft<Edit<BookValues>>, loaded: Loaded | null, offered: Partial<BookValues> = {}) {
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
    initialValues: savedDraft?.values ?? { ...origin.values, ...offered },
    validate: loaded ? updateRules(() => target.values.noOfBooks) : addRules,
  })
  const { values } = form
  const dirty = !sameValues(values, target.values)

  // The draft begins from the version first loaded, so that after a reload the conflict is noticed anew.
  useKeptEdit(draft, { values, base: origin.values, version: origin.version }, dirty && !leaving.current)
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      dirty &&
      !leaving.current &&
      currentLocation.pathname !== nextLocation.pathname &&
      // Signing out, or in again after the session ended: the draft waits.
      nextLocation.pathname !== paths.login(),
  )

  /** The form starts from these values; what was typed is done with. */
  function startFrom(next: Loaded) {
    setOrigin(next)
    setConflict(null)
    setFailure(null)
    setSavedDraft(null)
    form.setValues(next.values)
    form.clearErrors()
  }

  return {
    form,
    dirty,
    blocker,
    failure,
    conflict,
    /** The version that the next save names. */
    version: target.version,
    /** Whether the fields hold an earlier draft. */
    restored: savedDraft !== null,
    keepRestored: () => setSavedDraft(null),
    startFrom,
    /** Throws away what was typed. */
    discard: () => startFrom(conflict ?? loaded ?? origin),
    /** What was typed is stored: nothing keeps the page any more. */
    finish() {
      leaving.current = true
      draft.remove()
    },
    beginSave() {
      setFailure(null)
    },
    /** Shows what came between beside the own edit. */
    meet(theirs: Loaded, cause: Conflict['cause']) {
      const { differences, merged } = compare(target.values, theirs.values, values)
      form.setValues(merged)
      setConflict({ ...theirs, cause, differences })
    },
    copies: target.values.noOfBooks,
    /** Puts a refused save where it belongs: at its fields, or in one sentence. */
    fail(message: string, error: unknown) {
      if (showAtFields(error, form.setErrors)) return
      setFailure({ message, detail: error instanceof ProblemError ? error.message : null })
    },
  }
}

export type BookFormState = ReturnType<typeof useBookForm>
