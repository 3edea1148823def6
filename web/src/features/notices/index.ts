/** Loads the part of the home with the notices that ask for something. */
export const loadUrgentNotices = () => import('./UrgentNotices')
