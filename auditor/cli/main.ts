#!/usr/bin/env node
import { writeFileSync } from '../input/file-system.ts';
import { audit } from './audit.ts';

/** In its package it is a program of its own. */
const CALL = import.meta.url.endsWith('.ts') ? 'npx ql3-evidence audit' : 'npx ql3-audit';

// straight to the descriptor: setting up the process's streams would take longer than the audit
void audit(process.argv.slice(2), (descriptor, text) => writeFileSync(descriptor, text), CALL).then((code) => {
  process.exitCode = code;
});
