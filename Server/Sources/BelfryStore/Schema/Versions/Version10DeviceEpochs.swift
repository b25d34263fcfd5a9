/// The present installation of a device's row: tokens signed for an earlier one are no longer valid (SEC-10). Tokens
/// from before epochs belong to epoch 0.
enum Version10DeviceEpochs {
    static let migration = Migration(version: 10) { _ in
        ["ALTER TABLE devices ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0"]
    }
}
