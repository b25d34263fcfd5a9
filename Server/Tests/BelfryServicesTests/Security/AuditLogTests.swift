import BelfryServerTestSupport
@testable import BelfryServices
import BelfryStore
import Foundation
import Logging
import Synchronization
import Testing

/// ADM-1, SEC-9: a full disk neither ends the reads of operators nor hides them.
struct AuditLogTests {
    private func entry(_ number: Int) -> AuditEntry {
        AuditEntry(at: ServiceWorld.epoch, actor: "root", app: nil, action: "read", target: "\(number)")
    }

    @Test("ADM-1, SEC-9: lines that the database cannot store now are held in order, and written later")
    func held() async throws {
        let world = try await ServiceWorld()
        let isFull = Mutex(true)
        let database = FaultyDatabase(world.database) { _ in
            if isFull.withLock({ $0 }) { throw StoreError.full(reason: "disk") }
        }
        let log = AuditLog(database: database)
        for number in 0..<1_200 { try await log.append(entry(number)) }
        #expect(log.heldCount == 1_200 && database.count == 1, "the disk is asked once, not by every line")
        await log.writeHeld(logger: world.logger)
        #expect(log.heldCount == 1_200)
        isFull.withLock { $0 = false }
        try await log.append(entry(1_200))
        await log.writeHeld(logger: world.logger)
        #expect(log.heldCount == 0)
        let written = try await world.database.read { try $0.audit.newest(2_000) }.reversed().compactMap(\.target)
        let said: [String] = (0...1_200).map { "\($0)" }
        #expect(written == said)
    }

    @Test("ADM-1: beyond that number nobody is let in unlogged; earlier calls are still logged")
    func bounded() async throws {
        let world = try await ServiceWorld()
        let log = AuditLog(database: FaultyDatabase(world.database) { _ in throw StoreError.full(reason: "disk") })
        for number in 0..<AuditLog.maximumHeld {
            try log.refuseIfFull()
            try await log.append(entry(number))
        }
        #expect(throws: StoreError.self) { try log.refuseIfFull() }
        // The work of a call in progress is finished.
        try await log.append(entry(0))
        #expect(log.heldCount == AuditLog.maximumHeld + 1)
    }

    @Test("ADM-1: what no transaction makes is told before it is done, and where it has failed")
    func announced() async throws {
        struct Failure: Error {}
        let world = try await ServiceWorld()
        let (access, app) = (world.access, world.app.code)
        let principal = AdminPrincipal(name: "user:ann", app: nil, scopes: [.campaign])
        func told() async throws -> [String] {
            try await world.database.read { try $0.audit.newest(9) }.reversed().map(\.action)
        }
        let meanwhile = try await access.announcing("campaign.test", by: principal, app: app, target: "7") {
            try await told()
        }
        #expect(meanwhile == ["campaign.test.begin"])
        func fail() async throws { throw Failure() }
        await #expect(throws: Failure.self) {
            try await access.announcing("campaign.test", by: principal, app: app, target: "7") { try await fail() }
        }
        #expect(try await told() == ["campaign.test.begin", "campaign.test.begin", "campaign.test.fail"])
    }

    @Test("ADM-1: what no transaction makes is not done while the database cannot be told of it, and no line is held")
    func unannounced() async throws {
        let world = try await ServiceWorld()
        let database = FaultyDatabase(world.database) { _ in throw StoreError.full(reason: "disk") }
        let access = AdminAccess(rootKey: TestKeys.rootKey, database: database, environment: world.environment)
        let principal = AdminPrincipal(name: "user:ann", app: nil, scopes: [.campaign])
        func send() { Issue.record("a test was sent of which nobody would know") }
        await #expect(throws: StoreError.full(reason: "disk")) {
            try await access.announcing("campaign.test", by: principal, app: world.app.code, target: "7") { send() }
        }
        #expect(access.log.heldCount == 0)
    }

    @Test("ADM-1: a held line that the database refuses for good is dropped and reported, others continue")
    func refusedWhenHeld() async throws {
        let world = try await ServiceWorld()
        let isFull = Mutex(true)
        let database = FaultyDatabase(world.database) { connection in
            if isFull.withLock({ $0 }) { throw StoreError.full(reason: "disk") }
            let isRefused = try connection.audit.newest(1_000).contains { $0.target == "3" || $0.target == "600" }
            if isRefused { throw StoreError.refused(reason: "a rule") }
        }
        let log = AuditLog(database: database)
        for number in 0..<620 { try await log.append(entry(number)) }
        isFull.withLock { $0 = false }
        await log.writeHeld(logger: world.logger)
        #expect(log.heldCount == 0)
        let written = try await world.database.read { try $0.audit.newest(1_000) }.reversed().compactMap(\.target)
        let said: [String] = (0..<620).filter { $0 != 3 && $0 != 600 }.map { "\($0)" }
        #expect(written == said)
        let lines = world.log.entries.filter { $0.level == .error }
        #expect(lines.count == 2)
    }

    @Test("ADM-1: a line that the database refuses for good is an error, and not held forever")
    func refused() async throws {
        let world = try await ServiceWorld()
        let log = AuditLog(database: FaultyDatabase(world.database) { _ in throw StoreError.refused(reason: "rule") })
        await #expect(throws: StoreError.self) { try await log.append(entry(0)) }
        #expect(log.heldCount == 0)
    }
}
