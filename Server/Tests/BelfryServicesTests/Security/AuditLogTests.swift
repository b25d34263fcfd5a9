import BelfryServerTestSupport
@testable import BelfryServices
import BelfryStore
import Foundation
import Synchronization
import Testing

/// ADM-1, SEC-9: a full disk neither ends the reads of operators nor hides them.
struct AuditLogTests {
    private func entry(_ number: Int) -> AuditEntry {
        AuditEntry(at: World.epoch, actor: "root", app: nil, action: "read", target: "\(number)")
    }

    @Test("ADM-1, SEC-9: what the database cannot take now is held in order, and written when it can be")
    func held() async throws {
        let world = try await World()
        let isFull = Mutex(true)
        let database = FaultyDatabase(world.database) { _ in
            if isFull.withLock({ $0 }) { throw StoreError.full(reason: "disk") }
        }
        let log = AuditLog(database: database)
        for number in 0..<1_200 { try await log.append(entry(number)) }
        #expect(log.heldCount == 1_200 && database.count == 1, "the disk is asked once, not by every line")
        await log.writeHeld()
        #expect(log.heldCount == 1_200)
        isFull.withLock { $0 = false }
        try await log.append(entry(1_200))
        await log.writeHeld()
        #expect(log.heldCount == 0)
        let written = try await world.database.read { try $0.audit.newest(2_000) }.reversed().compactMap(\.target)
        let said: [String] = (0...1_200).map { "\($0)" }
        #expect(written == said)
    }

    @Test("ADM-1: beyond what can be held nobody is let in unseen")
    func bounded() async throws {
        let world = try await World()
        let log = AuditLog(database: FaultyDatabase(world.database) { _ in throw StoreError.full(reason: "disk") })
        for number in 0..<AuditLog.maximumHeld {
            try log.refuseIfFull()
            try await log.append(entry(number))
        }
        #expect(throws: StoreError.self) { try log.refuseIfFull() }
        await #expect(throws: StoreError.self) { try await log.append(entry(0)) }
    }

    @Test("ADM-1: what the database refuses for good is an error, and not held for ever")
    func refused() async throws {
        let world = try await World()
        let log = AuditLog(database: FaultyDatabase(world.database) { _ in throw StoreError.refused(reason: "rule") })
        await #expect(throws: StoreError.self) { try await log.append(entry(0)) }
        #expect(log.heldCount == 0)
    }
}
