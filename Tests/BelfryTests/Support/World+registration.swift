import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

extension World {
    static let registration = "POST /client/registration"

    /// The device has nothing to do at once; also true of one that is dead.
    func settle() async {
        try? await client.waitUntilIdle()
    }

    /// The server's newest snapshot is the record as it is, and the device knows so (REG-3, REG-7).
    func checkRegistered(_ place: String) async throws {
        let state = try await state
        let snapshot = try #require(await server.snapshots.last, "\(place)")
        var expected = RegistrationSnapshot(
            record: state.record.reported,
            deviceID: state.id,
            registrationID: snapshot.registrationId,
            revision: snapshot.revision
        )
        // Never a difference by itself (REG-3).
        expected.lastOpenedAt = snapshot.lastOpenedAt
        #expect(snapshot == expected, "the record did not arrive. \(place)")
        #expect(state.sync.registration.acceptedRevision == snapshot.revision, "\(place)")
        #expect(state.sync.registration.accepted == state.recordDigest, "\(place)")
    }

    /// At most one attempt a minute, whatever its result, each with a higher revision (REG-4, REG-21).
    func checkRegistrationAttempts(_ place: String) throws {
        let attempts = wire.attempts(Self.registration)
        let gaps = zip(attempts, attempts.dropFirst()).map { $1.lived - $0.lived }
        let shortest = gaps.min() ?? 60
        #expect(shortest >= 59.999, "registered twice within \(shortest) seconds. \(place)")
        let revisions = try attempts.map { try $0.snapshot.revision }
        #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 }, "revisions \(revisions). \(place)")
    }
}

extension Wire.Attempt {
    /// The content of a registration.
    var snapshot: RegistrationSnapshot {
        get throws {
            try JSONDecoder().decode(RegistrationSnapshot.self, from: request.body ?? Data())
        }
    }
}
