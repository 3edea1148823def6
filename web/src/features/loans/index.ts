export { LoanButton } from './LoanButton'
export { Fine, ReturnDate } from './LoanStatus'
export { useLoanActions } from './useLoanActions'
export { useRowFocus } from './useRowFocus'
