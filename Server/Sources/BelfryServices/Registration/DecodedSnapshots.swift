import BelfryModel
import BelfryStore

/// Waiting snapshots, decoded before the write transaction that applies them: all writes share one writer, which has no
/// time for it.
struct DecodedSnapshots: Sendable {
    private struct Decoded: Sendable {
        let text: String
        let snapshot: Result<RegistrationSnapshot, any Error>
    }

    /// The keys of their registrations, oldest first.
    let keys: [RegistrationKey]
    private let decoded: [Int64: Decoded]

    init(_ waiting: [WaitingSnapshot]) {
        keys = waiting.map(\.key)
        decoded = waiting.reduce(into: [:]) { decoded, snapshot in
            decoded[snapshot.id] = Decoded(
                text: snapshot.text,
                snapshot: Result { try JSONText.decode(RegistrationSnapshot.self, snapshot.text) }
            )
        }
    }

    /// The numbers of their registrations, oldest first.
    var ids: [Int64] { keys.map(\.id) }

    /// The snapshot of a row. If the row has changed since, it is decoded again.
    func snapshot(of row: RegistrationRow) throws -> RegistrationSnapshot {
        if let known = decoded[row.id], known.text == row.snapshot { return try known.snapshot.get() }
        return try JSONText.decode(RegistrationSnapshot.self, row.snapshot)
    }
}
