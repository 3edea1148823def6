import { Kbd, Modal } from '@mantine/core'
import '../ui/styles'
import { t } from '../lib/messages'
import { SHORTCUTS } from './shortcuts'
import classes from './KeyboardHelp.module.css'

export default function KeyboardHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t('app.help.title')}>
      <dl className={classes.list}>
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className={classes.row}>
            <dt className={classes.keys}>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd className={classes.does}>{t(does)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
