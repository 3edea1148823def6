import { Button, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useAction } from '../../api/action'
import type { MailWording, MailWordings, WordedMail } from '../../api/types'
import { saveWordings, sendWording, wordingPreviewQuery } from '../../api/wordings'
import { LANGUAGES, t, translateMessage } from '../../lib/messages'
import { messageOf, ProblemError } from '../../lib/problem'
import { FormFrame } from './FormFrame'
import { MailHtml } from './MailHtml'
import { useSettingsForm, type Part } from './useSettingsForm'
import settings from './Settings.module.css'
import classes from './Wording.module.css'

const NAMES = ['en', 'hi'] as const
type Name = (typeof NAMES)[number]
type Values = Record<Name, MailWording>

const BLANK: MailWording = { subject: '', body: '' }
const SAMPLE: Values = { en: BLANK, hi: BLANK }
/** Debounce of the preview, milliseconds. */
const QUIET_MS = 400

const isSame = (one: MailWording, other: MailWording | null) =>
  one.subject === other?.subject && one.body === other.body

type WordingFormProps = Part<MailWordings> & { mail: WordedMail; isOn: boolean; name: string }

/** Form for the wording of a mail in both languages, with a preview of each. */
export function WordingForm({ mail, isOn, name, ...part }: WordingFormProps) {
  const oursIn = (language: Name) => mail.ours[language] ?? BLANK
  const form = useSettingsForm<Values, MailWordings>({
    ...part,
    name: `mail ${mail.kind}`,
    sample: SAMPLE,
    valuesOf: (document) => ({ en: document.en ?? oursIn('en'), hi: document.hi ?? oursIn('hi') }),
    // A wording equal to the program's is not stored, so that updates of the program's wording apply.
    documentOf: ({ en, hi }) => ({
      en: isSame(en, mail.ours.en) ? null : en,
      hi: isSame(hi, mail.ours.hi) ? null : hi,
    }),
    save: saveWordings(mail.kind),
  })
  const placeOf = (place: string) => {
    const [language, field] = place.split('.')
    const label = t(field === 'body' ? 'settings.wording.body' : 'settings.wording.subject')
    return `${label} (${LANGUAGES[language === 'hi' ? 'hi' : 'en']})`
  }
  return (
    <FormFrame form={form} label={name} nameOf={placeOf}>
      <div className={classes.sides}>
        {NAMES.map((language) => (
          <Side
            key={language}
            mail={mail}
            language={language}
            isOn={isOn}
            wording={form.values[language]}
            ours={oursIn(language)}
            errors={form.errors}
            onChange={(wording) => form.change({ ...form.values, [language]: wording })}
          />
        ))}
      </div>
    </FormFrame>
  )
}

type SideProps = {
  mail: WordedMail
  language: Name
  isOn: boolean
  wording: MailWording
  ours: MailWording
  errors: Readonly<Record<string, string>>
  onChange: (wording: MailWording) => void
}

function Side({ mail, language, isOn, wording, ours, errors, onChange }: SideProps) {
  const body = useRef<HTMLTextAreaElement>(null)
  // A text area that never had the focus reports its cursor at 0.
  const hasCursor = useRef(false)
  const send = useAction(sendWording, {
    done: () => t('settings.wording.sent'),
    failed: (reason) => t('settings.wording.notSent', { reason }),
  })
  const draft = { language, ...wording }

  /** Inserts at the cursor, and leaves the cursor behind the placeholder. */
  function insert(placeholder: string) {
    const input = body.current
    const cursor = hasCursor.current ? input : null
    const start = cursor?.selectionStart ?? wording.body.length
    const end = cursor?.selectionEnd ?? start
    onChange({ ...wording, body: wording.body.slice(0, start) + placeholder + wording.body.slice(end) })
    requestAnimationFrame(() => {
      input?.focus()
      input?.setSelectionRange(start + placeholder.length, start + placeholder.length)
    })
  }

  return (
    <fieldset className={settings.group}>
      <legend lang={language}>{LANGUAGES[language]}</legend>
      <div className={settings.column}>
        <TextInput
          label={t('settings.wording.subject')}
          value={wording.subject}
          error={errors[`${language}.subject`]}
          autoComplete="off"
          lang={language}
          dir="auto"
          data-path={`${language}.subject`}
          onChange={(event) => onChange({ ...wording, subject: event.currentTarget.value })}
        />
        <Textarea
          ref={body}
          label={t('settings.wording.body')}
          value={wording.body}
          error={errors[`${language}.body`]}
          rows={9}
          lang={language}
          dir="auto"
          data-path={`${language}.body`}
          onFocus={() => (hasCursor.current = true)}
          onChange={(event) => onChange({ ...wording, body: event.currentTarget.value })}
        />
        <div className={classes.chips}>
          {mail.placeholders.map(({ placeholder, about }) => (
            <Button
              key={placeholder}
              size="compact-sm"
              variant="default"
              title={translateMessage(about)}
              aria-label={t('settings.wording.insert', { placeholder, about: translateMessage(about) })}
              onClick={() => insert(placeholder)}
            >
              <span dir="auto">{placeholder}</span>
            </Button>
          ))}
        </div>
        <div className={classes.chips}>
          {isOn && (
            <Button variant="default" loading={send.pending} onClick={() => void send.run({ kind: mail.kind, draft })}>
              {t('settings.wording.send')}
            </Button>
          )}
          {!isSame(wording, ours) && (
            <Button variant="default" title={t('settings.wording.resetHint')} onClick={() => onChange(ours)}>
              {t('settings.wording.reset')}
            </Button>
          )}
        </div>
        {/* Last, because its height changes while it loads, and buttons below it would move under a press. */}
        <Preview kind={mail.kind} draft={draft} />
      </div>
    </fieldset>
  )
}

/** Returns what is wrong with the fields; empty if the request failed for another reason. */
const faultsOf = (error: unknown): string =>
  error instanceof ProblemError ? [...new Set(Object.values(error.fields))].join(' ') : ''

type PreviewProps = { kind: string; draft: MailWording & { language: Name } }

/** The mail with example values, debounced. */
function Preview({ kind, draft }: PreviewProps) {
  const [asked] = useDebouncedValue(draft, QUIET_MS)
  const { data, error, refetch } = useQuery(wordingPreviewQuery(kind, asked))
  const faults = faultsOf(error)
  const label = `${t('settings.wording.preview')} (${LANGUAGES[draft.language]})`
  return (
    <section aria-label={label} className={classes.preview}>
      {error ? (
        <>
          <p className={settings.reason}>{t('settings.wording.noPreview', { reason: faults || messageOf(error) })}</p>
          {/* A faulty text gets its preview once it is corrected. */}
          {!faults && (
            <Button variant="default" size="sm" onClick={() => void refetch()}>
              {t('common.retry')}
            </Button>
          )}
        </>
      ) : (
        data && (
          <>
            <p className={settings.reason}>
              {t(data.madeUp ? 'settings.wording.previewMadeUp' : 'settings.wording.previewReal')}
            </p>
            <strong lang={draft.language} dir="auto">
              {data.subject}
            </strong>
            <MailHtml html={data.html} language={draft.language} />
            <details>
              <summary>{t('settings.wording.textPart')}</summary>
              <pre lang={draft.language} dir="auto">
                {data.text}
              </pre>
            </details>
          </>
        )
      )}
    </section>
  )
}
