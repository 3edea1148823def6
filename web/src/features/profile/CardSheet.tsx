import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'

const IdCard = lazyChunk('id-card', () => import('./IdCard'))

type CardSheetProps = { name: string; department: string | null; batch: string | null; rollNumber: string }

/** A person's card, to print or to show; the code that draws its symbols is loaded on demand. */
export function CardSheet(props: CardSheetProps) {
  return (
    <Chunk part={IdCard} waiting={t('profile.card.loading')} failed={<p role="alert">{t('profile.card.failed')}</p>}>
      <IdCard {...props} />
    </Chunk>
  )
}
