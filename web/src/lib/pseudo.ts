import type { CompiledMessage } from 'icu-minify/format'

const LATIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

const WRITTEN = {
  accents: Array.from('åƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞɊŔŠŢÛṼŴẊÝŽ'),
  arabic: Array.from('ابجدهوزحطيكلمنسعفصقرشتثخذضابجدهوزحطيكلمنسعفصقرشتثخذض'),
} as const

export type Script = keyof typeof WRITTEN

/** Lengthens a text by two fifths by doubling vowels, in brackets that reveal truncation. */
function written(text: string, script: Script): string {
  if (!/\p{L}/u.test(text)) return text
  const letters = Array.from(text, (letter) => {
    const strange = WRITTEN[script][LATIN.indexOf(letter)] ?? letter
    return /[aeiou]/i.test(letter) ? strange + strange : strange
  })
  return `⟦${letters.join('')}⟧`
}

type Node = Exclude<CompiledMessage, string>[number]

function inNode(node: Node, script: Script): Node {
  if (typeof node === 'string') return written(node, script)
  if (typeof node === 'number') return node
  const [name, kind, ...rest] = node as [string, ...unknown[]]
  if (kind === undefined) return node
  // A number above 0 is the kind of a parameter; other values belong to a tag.
  if (typeof kind !== 'number' || kind === 0) {
    return [name, ...[kind, ...rest].map((part) => inNode(part as Node, script))] as unknown as Node
  }
  return kind > LAST_WITH_BRANCHES ? node : ([name, kind, inBranches(rest[0] as Branches, script)] as Node)
}

type Branches = Readonly<Record<string, CompiledMessage | 0>>

/** Kinds in the compiled form: 1 choice, 2 plural, 3 ordinal, 4 number, 5 date, 6 time. */
const LAST_WITH_BRANCHES = 3

const inBranches = (branches: Branches, script: Script): Branches =>
  Object.fromEntries(
    Object.entries(branches).map(([name, branch]) => [name, branch === 0 ? 0 : inMessage(branch, script)]),
  )

function inMessage(message: CompiledMessage, script: Script): CompiledMessage {
  return typeof message === 'string' ? written(message, script) : message.map((node) => inNode(node, script))
}

/** Converts every message into an altered script. */
export function pseudo(catalogue: Readonly<Record<string, CompiledMessage>>, script: Script) {
  return Object.fromEntries(Object.entries(catalogue).map(([key, message]) => [key, inMessage(message, script)]))
}
