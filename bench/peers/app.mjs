// Server that a typical developer would write in an hour, in one file with Express and better-sqlite3. Not recommended.
import Database from 'better-sqlite3'
import express from 'express'

const db = new Database(process.argv[2])
db.pragma('journal_mode = WAL')
const like = (q) => [`%${q ?? ''}%`, `%${q ?? ''}%`]
const page = db.prepare('SELECT * FROM books WHERE title LIKE ? OR author LIKE ? ORDER BY title LIMIT 24 OFFSET ?')
const total = db.prepare('SELECT COUNT(*) AS n FROM books WHERE title LIKE ? OR author LIKE ?').pluck()
const borrow = db.transaction((book, student) => {
  if (db.prepare('UPDATE books SET copies = copies - 1 WHERE id = ? AND copies > 0').run(book).changes === 0) return null
  return db.prepare('INSERT INTO loans (book, student) VALUES (?, ?)').run(book, student).lastInsertRowid
})
const giveBack = db.transaction((loan) => {
  const { book } = db.prepare('SELECT book FROM loans WHERE id = ?').get(loan)
  db.prepare('DELETE FROM loans WHERE id = ?').run(loan)
  db.prepare('UPDATE books SET copies = copies + 1 WHERE id = ?').run(book)
})
const app = express()
app.get('/books', ({ query: { q, page: n } }, res) =>
  res.json({ books: page.all(...like(q), 24 * (n ?? 0)), total: total.get(...like(q)) }))
app.get('/books/:id', (req, res) => res.json(db.prepare('SELECT * FROM books WHERE id = ?').get(req.params.id)))
app.post('/books/:id/loans', (req, res) => res.status(201).json({ id: borrow(req.params.id, 1) }))
app.post('/loans/:id/return', (req, res) => res.json({ id: giveBack(req.params.id) ?? null }))
app.listen(Number(process.argv[3]), '127.0.0.1')
