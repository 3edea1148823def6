// Finds expectations in the browser tests that compare a value read from the page only once (npm run lint). Such tests
// are flaky, because they may read before the page is ready; a locator's own expectation, `expect.poll` and `toPass`
// retry.
// Where a single read is correct, a comment above the statement begins with "Read once:" and gives the reason.
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** Methods of a locator that read a value once. */
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

/** Returns the arguments of `expect(…)` or `expect.soft(…)` and of the matcher; `expect.poll` retries. */
function expectation(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  let head = node.expression.expression
  while (ts.isPropertyAccessExpression(head)) head = head.expression
  if (!ts.isCallExpression(head)) return undefined
  const name = head.expression.getText()
  return name === 'expect' || name === 'expect.soft' ? [...head.arguments, ...node.arguments] : undefined
}

/** Returns the reads below a node, without those in nested functions, which run later. */
function readings(node) {
  if (ts.isFunctionLike(node)) return []
  return [...(isAwaitedRead(node) ? [node] : []), ...node.getChildren().flatMap(readings)]
}

/** Returns the names of variables, not of properties, used below a node. */
function names(node) {
  if (ts.isFunctionLike(node)) return []
  if (ts.isPropertyAccessExpression(node)) return names(node.expression)
  return ts.isIdentifier(node) ? [node.text] : node.getChildren().flatMap(names)
}

/** Collects the variables of a function that hold a read value. */
function kept(node, found = new Set()) {
  if (ts.isVariableDeclaration(node) && node.initializer && readings(node.initializer).length > 0) {
    if (!isExcused(node)) for (const name of names(node.name)) found.add(name)
  }
  if (!ts.isFunctionLike(node)) node.forEachChild((child) => void kept(child, found))
  return found
}

/** Returns whether `toPass` retries the function around a node. */
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
