import type { TreeLie } from '../tree-lie.ts';
import { DELIVERY_LIES } from './delivery.ts';
import { EXECUTION_LIES } from './execution.ts';
import { PLATFORM_LIES } from './platform.ts';
import { WORKER_LIES } from './worker.ts';

export const TREE_LIES: readonly TreeLie[] = [...DELIVERY_LIES, ...EXECUTION_LIES, ...WORKER_LIES, ...PLATFORM_LIES];
