export { FindPerson } from './FindPerson'
