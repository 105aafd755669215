export type ImageErrorCode =
  | 'IMAGE_SOURCE_UNREADABLE'
  | 'IMAGE_BUNDLE_FAILED'
  | 'IMAGE_BUILD_FAILED'
  | 'IMAGE_PULL_FAILED'
  | 'IMAGE_NOT_FOUND'
  | 'IMAGE_PIN_MISMATCH'
  | 'IMAGE_LAYER_TOO_LARGE';

/** An image that could not be made or is not the one it should be. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly code: ImageErrorCode;

  constructor(code: ImageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
