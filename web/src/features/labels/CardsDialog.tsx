import { Button, Checkbox, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePrintedName } from '../../api/config'
import { CARDS_AT_ONCE, cardsQuery, type PeopleList } from '../../api/people'
import type { Person } from '../../api/types'
import { t } from '../../lib/messages'
import { code128 } from '../../print/code128'
import { BarcodeSymbol } from '../../print/BarcodeSymbol'
import { boxAt, mm, Page, Pages } from '../../print/Pages'
import { qrCode } from '../../print/symbol'
import { useIsPrinting } from '../../print/useIsPrinting'
import { Dialog } from '../../ui/Dialog'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import classes from './Cards.module.css'
import { useDeviation } from './kept'
import { usePhotos } from './usePhotos'
import { isReadable, moduleIn, sideOf } from './label'
import { CARD_SHEET, cutMarks, slotOfBack, paged, slotAt, slotsOf } from './sheets'

/** ID cards of a list of people: ten on a page with cut marks; each page is followed by one with the backs. */
export function CardsDialog({ list, onClose }: { list: PeopleList; onClose: () => void }) {
  const query = useQuery(cardsQuery(list))
  return (
    <Dialog onClose={onClose} title={t('labels.cards.title')} size="xl">
      <ListState query={query} lines={4}>
        {({ people, total }) => <Cards people={people} total={total} onClose={onClose} />}
      </ListState>
    </Dialog>
  )
}

function Cards({ people, total, onClose }: { people: readonly Person[]; total: number; onClose: () => void }) {
  const [backs, setBacks] = useState(true)
  const carded = people.filter(({ rollNumber }) => rollNumber !== null)
  const without = people.length - carded.length
  const photos = usePhotos(people)
  if (carded.length === 0) return <EmptyState message={t('labels.cards.none')} />
  const sheets = paged(carded, slotsOf(CARD_SHEET), 0)
  return (
    <Stack>
      <p className={classes.hint} role="status">
        {t('labels.cards.count', { count: carded.length, pages: sheets.length })}
        {without > 0 && ` ${t('labels.cards.without', { count: without })}`}
        {total > people.length && ` ${t('labels.cards.portion', { count: CARDS_AT_ONCE })}`}
      </p>
      <Checkbox
        label={t('labels.cards.backs')}
        description={t('labels.cards.backsHint')}
        checked={backs}
        onChange={(event) => setBacks(event.currentTarget.checked)}
      />
      <CardPages sheets={sheets} backs={backs} photos={photos} />
      <p className={classes.hint}>{t('labels.dialogHint')}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button loading={photos === null} onClick={() => window.print()}>
          {t('labels.cards.print', { count: carded.length })}
        </Button>
      </Group>
    </Stack>
  )
}

type Sheets = readonly (readonly (Person | null)[])[]

/** Addresses of photos by the person's id; null while they are fetched. */
type Photos = ReadonlyMap<number, string> | null

function CardPages({ sheets, backs, photos }: { sheets: Sheets; backs: boolean; photos: Photos }) {
  const printing = useIsPrinting()
  const library = usePrintedName()
  const sides = backs ? (['front', 'back'] as const) : (['front'] as const)
  const all = sheets.flatMap((people, sheet) => sides.map((side) => ({ people, side, sheet })))
  const shown = printing ? all : all.slice(0, 1)
  return (
    <Pages width={CARD_SHEET.pageWidth / 100} height={CARD_SHEET.pageHeight / 100}>
      {shown.map(({ people, side, sheet }, page) => (
        <Page
          key={`${sheet} ${side}`}
          hidden={page > 0}
          label={t('labels.cards.page', { page: page + 1, pages: all.length })}
        >
          <CutMarks />
          {people.map((person, index) =>
            person ? (
              <Card
                key={person.uid}
                person={person}
                photo={photos?.get(person.uid)}
                library={library}
                index={index}
                side={side}
              />
            ) : null,
          )}
        </Page>
      ))}
    </Pages>
  )
}

function CutMarks() {
  const [width, height] = [CARD_SHEET.pageWidth / 100, CARD_SHEET.pageHeight / 100]
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className={classes.marks} aria-hidden="true">
      <path d={cutMarks(CARD_SHEET)} />
    </svg>
  )
}

type CardProps = {
  person: Person
  photo: string | undefined
  library: string
  index: number
  side: 'front' | 'back'
}

function Card({ person, photo, library, index, side }: CardProps) {
  const [deviation] = useDeviation()
  const slot = side === 'front' ? index : slotOfBack(CARD_SHEET, index)
  const { left, top, width, height } = slotAt(CARD_SHEET, slot, deviation)
  const rollNumber = person.rollNumber ?? ''
  const dots = qrCode(rollNumber)
  const across = mm(sideOf(26, dots.width))
  return (
    <div style={boxAt(left, top, width, height)} className={classes.card} data-slot={slot}>
      {side === 'front' ? (
        <>
          {photo !== undefined && <img className={classes.photo} src={photo} alt="" />}
          <p className={classes.library} dir="auto" style={{ fontSize: mm(3.4) }}>
            {library}
          </p>
          <p className={classes.name} dir="auto" style={{ fontSize: mm(4.6) }}>
            {person.name}
          </p>
          <p className={classes.facts} dir="auto" style={{ fontSize: mm(3.2) }}>
            {[person.department, person.batch].filter(Boolean).join(' · ')}
          </p>
          <Code text={rollNumber} room={width - 8} />
          <p className={classes.number} dir="auto" style={{ fontSize: mm(rollNumber.length > 24 ? 2.4 : 3.2) }}>
            {rollNumber}
          </p>
        </>
      ) : (
        <div className={classes.back}>
          <div style={{ width: across, height: across, flex: 'none' }}>
            <BarcodeSymbol
              symbol={dots}
              label={t('labels.codeOf', { number: rollNumber })}
              className={classes.symbol}
            />
          </div>
          <p dir="auto" style={{ fontSize: mm(3.2) }}>
            {t('labels.cards.found', { library })}
          </p>
        </div>
      )}
    </div>
  )
}

/** Bars, or a QR code if the bars would be too fine for scanners. */
function Code({ text, room }: { text: string; room: number }) {
  const bars = code128(text)
  const module = bars ? moduleIn(room, bars.width) : 0
  const isBars = bars !== null && isReadable(module)
  return (
    <div
      className={classes.code}
      style={{ width: mm(isBars ? bars.width * module : 17), height: mm(isBars ? 13 : 17) }}
    >
      <BarcodeSymbol
        symbol={isBars ? bars : qrCode(text)}
        label={t('labels.codeOf', { number: text })}
        className={classes.symbol}
      />
    </div>
  )
}
