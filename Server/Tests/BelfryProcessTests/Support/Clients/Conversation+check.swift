import BelfryModel
import BelfryWire
import Testing

extension Conversation {
    /// Holds what the server has against what was said: everything acknowledged is there exactly once, nothing is there
    /// by half, and the newest revision stands.
    mutating func check(_ admin: AdminCaller, _ context: String) async throws {
        try await checkEvents(admin, context)
        try await checkReceipts(context)
        try await checkRevision(admin, context)
    }

    private func checkEvents(_ admin: AdminCaller, _ context: String) async throws {
        let stored = try await admin.eventIDs(of: device.id)
        let counts = Dictionary(stored.map { ($0, 1) }, uniquingKeysWith: +)
        let lost = batches.filter(\.isAcknowledged).flatMap(\.ids).filter { counts[$0] == nil }
        #expect(lost.isEmpty, "acknowledged and lost. \(context)")
        let repeated = counts.filter { $0.value > 1 }
        #expect(repeated.isEmpty, "stored more than once. \(context)")
        let halves = batches.map { batch in batch.ids.filter { counts[$0] != nil }.count }
        #expect(
            zip(batches, halves).allSatisfy { $1 == 0 || $1 == $0.events.count }, "a batch is there by half. \(context)"
        )
        let said = Set(batches.flatMap(\.ids))
        #expect(stored.allSatisfy(said.contains), "the server has what nobody said. \(context)")
    }

    /// Every acknowledged registration is processed; a status that is final is not asked for again.
    private mutating func checkReceipts(_ context: String) async throws {
        for (index, registration) in registrations.enumerated()
        where registration.isAcknowledged && registration.status == nil {
            let receipt = try await eventually("a registration is processed. \(context)") {
                try await device.receipt(registration.snapshot.registrationId)
            } until: {
                $0.status != .received
            }
            registrations[index].status = receipt.status
            let good: ReceiptStatus = registration.isFlawed ? .partlyRejected : .processed
            #expect([good, .superseded].contains(receipt.status), "\(context)")
            #expect(receipt.rejected.isEmpty == (receipt.status != .partlyRejected), "\(context)")
        }
    }

    private func checkRevision(_ admin: AdminCaller, _ context: String) async throws {
        guard let newest = registrations.filter(\.isAcknowledged).map(\.snapshot.revision).max() else { return }
        let response = try await admin.device(device.id)
        let revision = try #require(response.revision, "\(context)")
        #expect(revision >= newest, "an acknowledged revision is not applied. \(context)")
        #expect(response.system.appVersion == Self.appVersion(revision: revision), "applied by half. \(context)")
        let applied = registrations.first { $0.snapshot.revision == revision }
        #expect(applied != nil && applied?.status != .superseded, "nobody said this revision. \(context)")
    }
}
