/// Which installation of a device's row it is by now: what was signed for an earlier one has ended (SEC-10). Whatever
/// was signed before there were epochs counts as of epoch 0.
enum Version10DeviceEpochs {
    static let migration = Migration(version: 10) { _ in
        ["ALTER TABLE devices ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0"]
    }
}
