import { t } from '../../lib/messages'
import { code128 } from '../../print/code128'
import { BarcodeSymbol } from '../../print/BarcodeSymbol'
import { mm } from '../../print/Pages'
import { qrCode, type Symbol } from '../../print/symbol'
import type { Label } from '../../api/types'
import classes from './LabelFace.module.css'
import { fittingSize, isReadable, LOWEST_BARS, moduleIn, sideOf, spineLines } from './label'

/** Content of a label besides the number: title or shelf mark on the face, and the kind of code. */
export type Look = { face: 'title' | 'spine'; code: 'bars' | 'qr' }

type FaceProps = { label: Label; look: Look; library: string; width: number; height: number }

const PAD = 1.5
/** White margin at both sides of the bars, besides their quiet zone, in millimetres. */
const EDGE = 0.5
const NUMBER = 3.4
const TITLE = 2.6
const LINE = 1.4

const symbols = new Map<string, Symbol | null>()

function drawn(code: Look['code'], text: string): Symbol | null {
  const key = `${code} ${text}`
  const known = symbols.get(key)
  if (known !== undefined) return known
  const symbol = code === 'qr' ? qrCode(text) : code128(text)
  symbols.set(key, symbol)
  return symbol
}

const spineOf = (width: number): number => (width >= 50 ? 18 : width * 0.24)
const roomOf = (look: Look, width: number): number => width - 2 * EDGE - (look.face === 'spine' ? spineOf(width) : 0)

/** Returns the width of a module of this barcode on a label, in millimetres; 0 if bars cannot encode the text. */
export function moduleOn(look: Look, barcode: string, width: number): number {
  const symbol = drawn('bars', barcode)
  return symbol === null ? 0 : moduleIn(roomOf(look, width), symbol.width)
}

/** True if scanners can read the code of this label. */
export const isPrintable = (look: Look, barcode: string, width: number): boolean =>
  look.code === 'qr' || isReadable(moduleOn(look, barcode, width))

/** Label of a copy: its code, its number, and as much of the title as fits. */
export function LabelFace({ label, look, library, width, height }: FaceProps) {
  const spine = look.face === 'spine' ? spineOf(width) : 0
  return (
    <div className={classes.face}>
      {spine > 0 && <Spine mark={label.location} width={spine} height={height} />}
      {look.code === 'qr' ? (
        <Dots label={label} library={library} width={width - spine} height={height} />
      ) : (
        <Bars label={label} look={look} library={library} width={width} height={height} />
      )}
    </div>
  )
}

function Spine({ mark, width, height }: { mark: string; width: number; height: number }) {
  const lines = spineLines(mark)
  const size = fittingSize(lines, width - 1.6, height - 2 * PAD)
  return (
    <div className={classes.spine} style={{ width: mm(width), fontSize: mm(size) }}>
      {lines.map((line, index) => (
        // The same line may occur twice, so only the index is unique.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} dir="auto">
          {line}
        </span>
      ))}
    </div>
  )
}

function Bars({ label, look, library, width, height }: FaceProps) {
  const symbol = drawn('bars', label.barcode)
  const bars = Math.max(LOWEST_BARS, Math.min(14, height * 0.36))
  const room = height - 2 * PAD - bars - NUMBER
  const named = height >= 30 && library !== ''
  const lines = Math.max(0, Math.min(3, Math.floor((room - (named ? 3.2 : 0)) / (TITLE * LINE))))
  return (
    <div className={classes.column} style={{ padding: `${mm(PAD)} ${mm(EDGE)}` }}>
      {named && <Line text={library} size={2.2} />}
      <Title text={label.title} lines={lines} />
      {symbol && (
        <div style={{ width: mm(symbol.width * moduleOn(look, label.barcode, width)), height: mm(bars) }}>
          <BarcodeSymbol
            symbol={symbol}
            label={t('labels.codeOf', { number: label.barcode })}
            className={classes.symbol}
          />
        </div>
      )}
      <NumberLine label={label} shelf={look.face === 'title'} />
    </div>
  )
}

function Dots({ label, library, width, height }: Omit<FaceProps, 'look'>) {
  const symbol = drawn('qr', label.barcode)
  const room = Math.min(height - 2 * PAD, width * 0.45)
  const side = symbol ? sideOf(room, symbol.width) : room
  const lines = Math.max(1, Math.min(4, Math.floor((height - 2 * PAD - NUMBER - 3.2) / (TITLE * LINE))))
  return (
    <div className={classes.row} style={{ padding: mm(PAD), gap: mm(1) }}>
      {symbol && (
        <div style={{ width: mm(side), height: mm(side), flex: 'none' }}>
          <BarcodeSymbol
            symbol={symbol}
            label={t('labels.codeOf', { number: label.barcode })}
            className={classes.symbol}
          />
        </div>
      )}
      <div className={classes.words}>
        {library !== '' && height >= 25 && <Line text={library} size={2.2} />}
        <Title text={label.title} lines={lines} />
        <NumberLine label={label} shelf={false} />
      </div>
    </div>
  )
}

function Title({ text, lines }: { text: string; lines: number }) {
  if (lines === 0) return null
  return (
    <p
      className={classes.title}
      dir="auto"
      style={{ fontSize: mm(TITLE), maxHeight: mm(TITLE * LINE * lines), WebkitLineClamp: lines }}
    >
      {text}
    </p>
  )
}

function Line({ text, size }: { text: string; size: number }) {
  return (
    <p className={classes.line} dir="auto" style={{ fontSize: mm(size) }}>
      {text}
    </p>
  )
}

function NumberLine({ label: { barcode, location }, shelf }: { label: Label; shelf: boolean }) {
  return (
    <p className={classes.number} dir="auto" style={{ fontSize: mm(barcode.length > 20 ? 2 : 2.7) }}>
      {barcode}
      {shelf && location !== '' && (
        <>
          {' · '}
          <bdi>{location}</bdi>
        </>
      )}
    </p>
  )
}
