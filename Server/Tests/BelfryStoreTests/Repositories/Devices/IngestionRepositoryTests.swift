import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct IngestionRepositoryTests {
    @Test("WIRE-25: a registration id is stored once, with its first content", arguments: Engine.allCases)
    func registrationOnce(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { connection in
            for revision: Int64 in [5, 6] {
                try connection.registrations.insert(
                    device: 1, snapshot: snapshot("r", revision: revision), requestOrder: revision, now: storeEpoch
                )
            }
            try connection.registrations.insert(
                device: 2, snapshot: snapshot("r", revision: 9), requestOrder: 0, now: storeEpoch
            )
        }
        let stored = try await store.read { try $0.registrations.find(device: 1, registrationID: "r") }
        let row = try #require(stored)
        #expect(row.revision == 5 && row.order == PropertyOrder(milliseconds: 5))
        #expect(row.status == .received && row.rejected.isEmpty)
        #expect(row.receivedAt == storeEpoch)
        let kept = try JSONDecoder().decode(RegistrationSnapshot.self, from: Data(row.snapshot.utf8))
        #expect(kept == snapshot("r", revision: 5))
        #expect(try await store.read { try $0.registrations.highestRevision(device: 1) } == 5)
        #expect(try await store.read { try $0.registrations.highestRevision(device: 3) } == 0)
    }

    @Test("REG-20: waiting registrations are read oldest first, and finished once", arguments: Engine.allCases)
    func waiting(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let rejected = [RejectedField(field: "attributes.shoe", reason: "undefinedAttribute", message: "No.")]
        let rounds = try await store.write { connection in
            for number: Int64 in 1...5 {
                try connection.registrations.insert(
                    device: 1, snapshot: snapshot("r\(number)", revision: number), requestOrder: 0, now: storeEpoch
                )
            }
            let first = try connection.registrations.claimWaiting(limit: 2)
            for row in first {
                try connection.registrations.finish(
                    row.key, status: .partlyRejected, rejected: rejected, now: seconds(1))
            }
            return [first, try connection.registrations.claimWaiting(limit: 10)].map { $0.map(\.registrationID) }
        }
        #expect(rounds == [["r1", "r2"], ["r3", "r4", "r5"]])
        let finished = try await store.read { try $0.registrations.find(device: 1, registrationID: "r1") }
        #expect(finished?.status == .partlyRejected)
        #expect(finished?.rejected == rejected)
    }

    @Test(
        "REG-20, SEC-2: as many waiting registrations are read as fit by their bytes, a long one alone",
        arguments: Engine.allCases)
    func lengths(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let texts = ["éé", "aaa", "bbbbbb", "c", "d", "e"]
        let groups = try await store.write { connection in
            for (number, text) in texts.enumerated() {
                _ = try connection.registrations.insert(
                    "r\(number)", revision: 1, snapshot: text, device: 1, order: PropertyOrder(), now: storeEpoch
                )
            }
            var groups: [[String]] = []
            while groups.count < 9 {
                let waiting = try connection.registrations.waitingSnapshots(limit: 2, maximumBytes: 5)
                guard let last = waiting.last else { break }
                groups.append(waiting.map(\.text))
                let claimed = try connection.registrations.claimWaiting(through: last.id, limit: 9)
                for row in claimed {
                    try connection.registrations.finish(row.key, status: .processed, rejected: [], now: storeEpoch)
                }
            }
            return groups
        }
        #expect(groups == [["éé"], ["aaa"], ["bbbbbb"], ["c", "d"], ["e"]])
    }

    @Test(
        "EVT-3: an event id is stored once per device, even if it comes many times at once",
        arguments: Engine.allCases)
    func eventOnce(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let new = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<90 {
                group.addTask {
                    try await store.write {
                        try $0.events.insert(
                            event("e\(number % 10)"), device: Int64(1 + number % 3), app: 1, contact: nil,
                            now: storeEpoch
                        )
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(new == 30)
        for device: Int64 in 1...3 {
            #expect(try await store.read { try $0.events.ofDevice(device, before: nil, limit: 100).count } == 10)
        }
    }

    @Test(
        "EVT-7: a device's events are read newest first and page by page, none twice and none left out",
        arguments: Engine.allCases)
    func paging(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        // Several events share a moment; some are older than 1970, by a device's wrong clock.
        let moments = [5.0, 1, 5, -4e9, 5, 1, 9, -4e9, 2]
        try await store.write { connection in
            for (number, moment) in moments.enumerated() {
                let event = try event(
                    "e\(number)", "name \(number)", at: seconds(moment), attributes: ["n": .number(Double(number))]
                )
                _ = try connection.events.insert(event, device: 1, app: 1, contact: 4, now: storeEpoch)
            }
        }
        var seen: [EventRow] = []
        while seen.count < 100 {
            let cursor = seen.last.map { (at: $0.at.milliseconds, id: $0.eventID) }
            let page = try await store.read { try $0.events.ofDevice(1, before: cursor, limit: 2) }
            if page.isEmpty { break }
            seen += page
        }
        #expect(seen.map(\.at) == moments.map(seconds).sorted(by: >))
        #expect(Set(seen.map(\.eventID)).count == moments.count)
        #expect(seen.first?.name == "name 6")
        #expect(seen.first?.attributes == ["n": 6])
    }
}
