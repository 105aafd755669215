/** Its name: what a shell completes, and what a link to it is called. */
export const PROGRAM = 'ql3-evidence';
/** How it is called in a clone, where nothing was installed under that name: what every screen and document says. */
export const CALL = `npx ${PROGRAM}`;
