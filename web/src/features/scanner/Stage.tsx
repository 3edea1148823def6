import { Button, NativeSelect } from '@mantine/core'
import { Pause, Play } from 'lucide-react'
import type { RefCallback } from 'react'
import { t } from '../../lib/messages'
import { ZOOM } from './camera'
import type { Scanner, ScanView } from './scanner'
import classes from './ScannerPanel.module.css'

type StageProps = { attach: RefCallback<HTMLVideoElement>; view: ScanView | null }

/** Returns whether the camera's picture takes room on the page. */
export const showsPicture = (view: ScanView | null): view is ScanView =>
  view !== null && view.problem === null && (view.opening || view.state !== 'notStarted')

/** The camera's picture, with the scanned area marked. */
export function Stage({ attach, view }: StageProps) {
  const shows = showsPicture(view)
  return (
    <div className={classes.stage} data-off={!shows || undefined}>
      {/* A camera's picture has no sound to caption. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <video
        ref={attach}
        className={classes.video}
        style={{ transform: `scale(${view?.enlarged ?? 1})` }}
        muted
        playsInline
        aria-label={t('scanner.video')}
      />
      {shows && view.box !== null && (
        <div
          className={classes.box}
          style={{ width: view.box, height: view.box }}
          data-paused={view.state === 'paused' || undefined}
        />
      )}
    </div>
  )
}

export function Controls({ scanner, view }: { scanner: Scanner; view: ScanView }) {
  const { state, opening, cameras, cameraId, torch, zoom } = view
  const waits = state === 'notStarted' && (opening || view.box === null)
  const [name, icon, act] =
    state === 'scanning'
      ? ([t('scanner.pause'), <Pause key="icon" />, () => scanner.pause()] as const)
      : state === 'paused'
        ? ([t('scanner.resume'), <Play key="icon" />, () => void scanner.resume()] as const)
        : ([t('common.retry'), undefined, () => void scanner.start()] as const)
  return (
    <>
      <div className={classes.row}>
        {/* One button for all states, so that it keeps the focus. */}
        <Button
          variant="default"
          size="sm"
          leftSection={icon}
          aria-disabled={waits || undefined}
          data-disabled={waits || undefined}
          onClick={waits ? undefined : act}
        >
          {name}
        </Button>
        {torch !== null && (
          <Button
            variant={torch ? 'light' : 'default'}
            size="sm"
            aria-pressed={torch}
            onClick={() => void scanner.setTorch(!torch)}
          >
            {t('scanner.torch')}
          </Button>
        )}
        {state !== 'notStarted' && (
          <label className={classes.zoom}>
            <span>{t('scanner.zoom')}</span>
            <input
              type="range"
              min={ZOOM.min}
              max={ZOOM.max}
              step={ZOOM.step}
              value={zoom}
              aria-valuetext={t('scanner.zoomTimes', { factor: zoom.toFixed(1) })}
              onChange={(event) => void scanner.setZoom(event.currentTarget.valueAsNumber)}
            />
            <span className={`tabular ${classes.factor}`} aria-hidden="true">
              {zoom.toFixed(1)}×
            </span>
          </label>
        )}
      </div>
      {cameras.length > 1 && (
        <NativeSelect
          label={t('scanner.camera')}
          size="sm"
          value={cameraId ?? ''}
          data={cameras.map(({ id, label }) => ({ value: id, label }))}
          onChange={(event) => void scanner.choose(event.currentTarget.value)}
        />
      )}
    </>
  )
}
