/** Names another base image than the pinned one (evidence/pins.ts), and makes the run a rehearsal. */
export const NODE_IMAGE_VARIABLE = 'QL3_NODE_IMAGE';
