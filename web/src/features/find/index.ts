export { FindPerson } from './FindPerson'
export { Found } from './Found'
