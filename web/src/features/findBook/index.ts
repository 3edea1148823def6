export { FindBook } from './FindBook'
