import { Chunk, lazyChunk } from '../../lib/lazyChunk'
import { t } from '../../lib/messages'
import { NotLoaded } from '../../ui/NotLoaded'

const load = () => import('./IdCard')
const IdCard = lazyChunk('id-card', load)

/** Loads the card's code ahead, so that the card also opens offline. */
export function prefetchCard(): void {
  load().catch((error: unknown) => console.warn(error))
}

type CardSheetProps = {
  name: string
  department: string | null
  batch: string | null
  rollNumber: string
  /** Address of the photo. */
  photo?: string | null
  onPrint?: () => void
}

/** A person's card, to print or to show; the code that draws its symbols is loaded on demand. */
export function CardSheet(props: CardSheetProps) {
  return (
    <Chunk
      part={IdCard}
      waiting={t('profile.card.loading')}
      failed={(retry) => <NotLoaded message={t('profile.card.failed')} onRetry={retry} />}
    >
      <IdCard {...props} />
    </Chunk>
  )
}
