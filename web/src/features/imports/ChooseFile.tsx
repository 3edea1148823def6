import { Alert, Button, FileButton, Group, Text } from '@mantine/core'
import { messageOf } from '../../lib/problem'
import { saveFile } from './saveFile'

type ChooseFileProps = {
  /** Texts above: what a file holds, and what the import does with it. */
  what: string
  rules: string
  accept: string
  file: File | null
  /** Label of the button that chooses the file. */
  choose: string
  isPrimary: boolean
  pending: boolean
  onChoose: (file: File) => void
  /** Sample file, offered until a file is chosen. */
  example?: { text: string; name: string; rows: string }
  error: Error | null
}

/** First step of an import: the choice of a file, with the reason if it was refused. */
export function ChooseFile(props: ChooseFileProps) {
  const { what, rules, accept, file, choose, isPrimary, pending, onChoose, example, error } = props
  return (
    <>
      <Text>{what}</Text>
      <Text c="dimmed" size="sm">
        {rules}
      </Text>
      <Group mt="lg">
        <FileButton
          accept={accept}
          onChange={(chosen) => {
            if (chosen) onChoose(chosen)
          }}
        >
          {(button) => (
            <Button {...button} variant={isPrimary ? 'filled' : 'default'} loading={pending}>
              {choose}
            </Button>
          )}
        </FileButton>
        {file ? (
          <span dir="auto">{file.name}</span>
        ) : (
          example && (
            <Button variant="subtle" onClick={() => saveFile(example.name, example.rows)}>
              {example.text}
            </Button>
          )
        )}
      </Group>
      {error && (
        <Alert color="red" role="alert" mt="lg">
          {messageOf(error)}
        </Alert>
      )}
    </>
  )
}
