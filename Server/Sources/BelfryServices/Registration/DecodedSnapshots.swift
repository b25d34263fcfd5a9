import BelfryModel
import BelfryStore

/// Snapshots that wait, decoded before the write begins in which they are applied: all writes share one writer, which
/// has no time for it.
struct DecodedSnapshots: Sendable {
    private struct Decoded: Sendable {
        let text: String
        let snapshot: Result<RegistrationSnapshot, any Error>
    }

    /// Of their registrations, the oldest first.
    let ids: [Int64]
    private let decoded: [Int64: Decoded]

    init(_ waiting: [WaitingSnapshot]) {
        ids = waiting.map(\.id)
        decoded = waiting.reduce(into: [:]) { decoded, snapshot in
            decoded[snapshot.id] = Decoded(
                text: snapshot.text,
                snapshot: Result { try JSONText.decode(RegistrationSnapshot.self, snapshot.text) }
            )
        }
    }

    /// What a row says. One that says something else by now is decoded anew.
    func snapshot(of row: RegistrationRow) throws -> RegistrationSnapshot {
        if let known = decoded[row.id], known.text == row.snapshot { return try known.snapshot.get() }
        return try JSONText.decode(RegistrationSnapshot.self, row.snapshot)
    }
}
