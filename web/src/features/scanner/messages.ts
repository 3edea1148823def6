import { t } from '../../lib/messages'
import type { ScanView } from './scanner'

/** Returns the sentence of the scanner's header (R-SCAN-8); `aim` is shown while scanning. */
export function headline(view: ScanView, aim: string): string {
  if (view.problem) return t(`scanner.problem.${view.problem}`)
  if (view.opening) return t('scanner.starting')
  if (view.box === null) return t('scanner.noRoom')
  switch (view.state) {
    case 'notStarted':
      return t('scanner.off')
    case 'paused':
      return t('scanner.paused')
    case 'scanning':
      if (view.torchProblem)
        return view.torchProblem === 'on' ? t('scanner.torchOnFailed') : t('scanner.torchOffFailed')
      return aim
  }
}
