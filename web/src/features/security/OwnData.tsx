import { Button, Title } from '@mantine/core'
import { myData } from '../../api/people'
import { t } from '../../lib/messages'
import classes from './Security.module.css'

/** Link to a file with everything recorded about the user (R-PEOPLE-6). */
export function OwnData() {
  return (
    <section className={classes.part} aria-labelledby="data">
      <Title order={2} id="data">
        {t('security.data.title')}
      </Title>
      <p className={classes.hint}>{t('security.data.what')}</p>
      <Button component="a" href={myData} download variant="default" mt="md">
        {t('security.data.export')}
      </Button>
    </section>
  )
}
