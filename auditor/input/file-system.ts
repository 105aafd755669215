/**
 * Of node:fs what judging a report takes. Asked of the process and not imported: an import of node:fs also loads its promises and
 * its streams, which takes nearly as long as the audit of a report.
 */
export const { closeSync, constants, fstatSync, openSync, readSync, writeFileSync } = process.getBuiltinModule('node:fs');
