export type ManifestErrorCode =
  | 'MANIFEST_FILE_INVALID'
  | 'MANIFEST_PATCH_FAILED'
  | 'MANIFEST_PARAMETER_MISSING'
  | 'MANIFEST_PARAMETER_UNUSED'
  | 'MANIFEST_PARAMETER_INVALID';

/** A manifest, or what was asked of it, is wrong. Never carries a parameter's value: some are keys. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly code: ManifestErrorCode;

  constructor(code: ManifestErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
