import { Button, CloseButton, TextInput } from '@mantine/core'
import { useMergedRef } from '@mantine/hooks'
import { useId, useRef, useState, type ClipboardEvent, type KeyboardEvent, type Ref } from 'react'
import { t } from '../../lib/messages'
import classes from './BarcodeList.module.css'
import { barcodeErrors, withScanned } from './barcodes'

type BarcodeListProps = {
  label: string
  description: string
  value: readonly string[]
  onChange: (barcodes: string[]) => void
  /** The server's errors by field name, such as `barcodes[2]`. */
  errors: Readonly<Record<string, string>>
  /** Text in the box, not yet in the list. */
  text: string
  onText: (text: string) => void
  /** Ref of the input, for callers that focus it. */
  box?: Ref<HTMLInputElement>
}

/** Input for a list of barcodes: a scanner ends each with Enter or Tab; a whole column can be pasted. */
export function BarcodeList({
  label,
  description,
  value,
  onChange,
  errors,
  text,
  onText,
  box = null,
}: BarcodeListProps) {
  const [twice, setTwice] = useState<readonly string[]>([])
  const input = useRef<HTMLInputElement>(null)
  const boxRef = useMergedRef(input, box)
  const listId = useId()
  const errorId = useId()
  const { at, list: wrong } = barcodeErrors(errors)

  function take(scanned: string) {
    const { list, twice: again } = withScanned(value, scanned)
    setTwice(again)
    onText('')
    if (list.length > value.length) onChange(list)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || text.trim() === '') return
    if (event.key !== 'Enter' && (event.key !== 'Tab' || event.shiftKey)) return
    // Enter and Tab add the barcode instead of submitting or leaving the box: the next scan follows. Ctrl+Enter saves.
    if (event.ctrlKey || event.metaKey) return
    event.preventDefault()
    take(text)
  }

  function onPaste(event: ClipboardEvent) {
    const pasted = event.clipboardData.getData('text')
    if (!/[\n\r\t]/.test(pasted)) return
    event.preventDefault()
    take(pasted)
  }

  const error = wrong ?? (twice.length > 0 ? t('copies.barcodes.twice', { barcodes: twice.join(', ') }) : null)

  return (
    <div>
      <div className={classes.box}>
        <TextInput
          ref={boxRef}
          label={label}
          description={description}
          value={text}
          error={error !== null}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          className={classes.input}
          data-path="barcodes"
          data-autofocus
          aria-describedby={error === null ? (value.length > 0 ? listId : undefined) : errorId}
          onChange={(event) => {
            setTwice([])
            onText(event.currentTarget.value)
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <Button
          variant="default"
          size="md"
          disabled={text.trim() === ''}
          onClick={() => {
            take(text)
            input.current?.focus()
          }}
        >
          {t('copies.barcodes.take')}
        </Button>
      </div>
      {error !== null && (
        <p id={errorId} role="alert" className={classes.problem}>
          {error}
        </p>
      )}
      {value.length > 0 && (
        <>
          <p id={listId} className={classes.count} role="status">
            {t('copies.barcodes.count', { count: value.length })}
          </p>
          <ul className={classes.list}>
            {value.map((barcode, index) => (
              <li key={barcode} data-wrong={at.has(index) || undefined}>
                <span className={classes.barcode} dir="auto">
                  {barcode}
                </span>
                <CloseButton
                  size="sm"
                  aria-label={t('copies.barcodes.remove', { barcode })}
                  onClick={() => {
                    onChange(value.filter((_, place) => place !== index))
                    input.current?.focus()
                  }}
                />
                {at.has(index) && (
                  <span className={classes.error} role="alert">
                    {at.get(index)}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
