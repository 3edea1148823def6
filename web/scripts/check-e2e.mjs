// Finds expectations in the browser tests that compare a value read from the page once (npm run lint). Such a value may be
// read before the page is ready, so the test fails now and then: a locator's own expectation, `expect.poll` or `toPass` waits.
// Where one reading is right, a comment above the statement begins with "Read once:" and says why.
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** Methods of a locator that read what is there at this moment. */
const READS = new Set([
  'textContent',
  'innerText',
  'allTextContents',
  'allInnerTexts',
  'inputValue',
  'getAttribute',
  'isVisible',
  'isHidden',
  'isChecked',
  'isEnabled',
  'isDisabled',
  'count',
  'title',
  'boundingBox',
  'evaluate',
  'evaluateAll',
])

const isAwaitedRead = (node) =>
  ts.isAwaitExpression(node) &&
  ts.isCallExpression(node.expression) &&
  ts.isPropertyAccessExpression(node.expression.expression) &&
  READS.has(node.expression.expression.name.text)

/** `expect(…)` and `expect.soft(…)`, with the matcher behind them; `expect.poll` reads again and again. */
function expectation(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  let head = node.expression.expression
  while (ts.isPropertyAccessExpression(head)) head = head.expression
  if (!ts.isCallExpression(head)) return undefined
  const name = head.expression.getText()
  return name === 'expect' || name === 'expect.soft' ? [...head.arguments, ...node.arguments] : undefined
}

/** The readings below a node; what a function within reads is read when that function is called. */
function readings(node) {
  if (ts.isFunctionLike(node)) return []
  return [...(isAwaitedRead(node) ? [node] : []), ...node.getChildren().flatMap(readings)]
}

/** The names used below a node, of variables and not of properties. */
function names(node) {
  if (ts.isFunctionLike(node)) return []
  if (ts.isPropertyAccessExpression(node)) return names(node.expression)
  return ts.isIdentifier(node) ? [node.text] : node.getChildren().flatMap(names)
}

/** The variables that hold a reading, by the functions in which they are declared. */
function kept(node, found = new Set()) {
  if (ts.isVariableDeclaration(node) && node.initializer && readings(node.initializer).length > 0) {
    if (!isExcused(node)) for (const name of names(node.name)) found.add(name)
  }
  if (!ts.isFunctionLike(node)) node.forEachChild((child) => void kept(child, found))
  return found
}

/** Whether `toPass` repeats the function around this place. */
function isRepeated(node) {
  for (let around = node.parent; around; around = around.parent) {
    if (ts.isPropertyAccessExpression(around) && around.name.text === 'toPass') return true
  }
  return false
}

function statementOf(node) {
  let statement = node
  while (!ts.isStatement(statement) && statement.parent) statement = statement.parent
  return statement
}

const isExcused = (node) => {
  const statement = statementOf(node)
  return statement.getSourceFile().text.slice(statement.getFullStart(), statement.getStart()).includes('Read once:')
}

const folders = ['e2e', 'e2e/support']
let wrong = 0
for (const folder of folders) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.ts'))) {
    const path = `${folder}/${name}`
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
    const look = (node, variables) => {
      const held = ts.isFunctionLike(node) && node.body ? kept(node.body) : variables
      const compared = expectation(node) ?? []
      const isReading = compared.flatMap(readings).length > 0
      const isHeld = compared.flatMap(names).some((one) => held.has(one))
      if ((isReading || isHeld) && !isRepeated(node) && !isExcused(node)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart())
        console.error(`${path}:${line + 1}: compares what the page says at one moment; wait for it, or say why not`)
        wrong += 1
      }
      node.forEachChild((child) => look(child, held))
    }
    look(source, new Set())
  }
}
process.exitCode = wrong > 0 ? 1 : 0
