import { Checkbox, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useAction } from '../../api/action'
import { mySuggestionChoiceQuery, saveSuggestionChoice } from '../../api/suggestionChoice'
import { t } from '../../lib/messages'
import classes from './ProfileScreen.module.css'

/** The reader's choice whether their loans count for suggestions; renders nothing if the library makes none. */
export function Suggestions() {
  const choice = useQuery(mySuggestionChoiceQuery).data
  const save = useAction(saveSuggestionChoice, {
    done: () => t('profile.suggestions.saved'),
    failed: (reason) => t('profile.suggestions.failed', { reason }),
  })
  if (choice?.offered !== true) return null
  return (
    <section className={classes.part} aria-labelledby="suggestions">
      <Title order={2} id="suggestions">
        {t('profile.suggestions.title')}
      </Title>
      <Checkbox
        mt="sm"
        label={t('profile.suggestions.counted')}
        description={t('profile.suggestions.hint')}
        checked={choice.counted}
        disabled={save.pending}
        onChange={(event) => void save.run({ counted: event.currentTarget.checked })}
      />
    </section>
  )
}
