import type { components } from './schema'

type Schemas = components['schemas']

export type User = Schemas['User']
export type Config = Schemas['Config']
export type Role = Schemas['Role']
export type Book = Schemas['Book']
export type BookDetail = Schemas['BookDetail']
export type BookForm = Schemas['BookForm']
export type BookStatus = Schemas['Status']
export type Review = Schemas['Review']
export type ReviewForm = Schemas['ReviewForm']
export type Loan = Schemas['Loan']
export type AdminLoan = Schemas['BorrowedBook']
export type SignIn = Schemas['SignIn']
export type Registration = Schemas['Registration']
export type Profile = Schemas['ProfileEdit']
export type Problem = Schemas['Problem']
