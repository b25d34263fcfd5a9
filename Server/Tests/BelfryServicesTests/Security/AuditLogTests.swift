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
            try log.rejectIfFull()
            try await log.append(entry(number))
        }
        #expect(throws: StoreError.self) { try log.rejectIfFull() }
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
        func audited() async throws -> [String] {
            try await world.database.read { try $0.audit.newest(9) }.reversed().map(\.action)
        }
        let meanwhile = try await access.announcing("campaign.test", by: principal, app: app, target: "7") {
            try await audited()
        }
        #expect(meanwhile == ["campaign.test.begin"])
        func fail() async throws { throw Failure() }
        await #expect(throws: Failure.self) {
            try await access.announcing("campaign.test", by: principal, app: app, target: "7") { try await fail() }
        }
        #expect(try await audited() == ["campaign.test.begin", "campaign.test.begin", "campaign.test.fail"])
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

    private struct Failure: Error {}

    private let ann = AdminPrincipal(name: "user:ann", app: nil, scopes: [.admin])

    private func audited(_ world: ServiceWorld) async throws -> [String] {
        try await world.database.read { try $0.audit.newest(9) }.reversed().map { "\($0.action) \($0.target ?? "-")" }
    }

    private func users(of world: ServiceWorld, over database: any SQLDatabase) -> UserService {
        UserService(database: database, environment: world.environment, hasher: PasswordHasher())
    }

    @Test("ADM-1: what is changed has its line by the same transaction, though the process dies right after it")
    func carried() async throws {
        let world = try await ServiceWorld()
        let database = MortalDatabase(world.database, isLastWrite: { _ in true })
        let access = AdminAccess(rootKey: TestKeys.rootKey, database: database, environment: world.environment)
        let users = users(of: world, over: database)
        _ = try? await access.auditing("user.create", by: ann, app: nil) {
            try await users.create(name: "ben", displayName: nil, password: nil, isOperator: true, roles: [:])
        } as: { user in
            .done(app: nil, target: String(user.id))
        }
        let ben = try await world.database.read { try $0.users.find(name: "ben") }
        #expect(ben?.isOperator == true)
        #expect(try await audited(world) == ["user.create -"])
    }

    @Test("ADM-1, CON-3: whom a sign-in by a provider makes has a line by the same transaction, by their number")
    func arrivals() async throws {
        let world = try await ServiceWorld()
        let mortal = users(of: world, over: MortalDatabase(world.database, isLastWrite: { _ in true }))
        let eve = try await mortal.person(
            of: "https://id.example", subject: "eve", email: "eve@example.com", displayName: nil
        )
        let lines = try await world.database.read { try $0.audit.newest(9) }
        #expect(lines.map(\.actor) == ["user:eve@example.com"] && lines.map(\.app) == [nil])
        #expect(try await audited(world) == ["user.create \(eve.id)"])
        // Known again.
        let again = try await users(of: world, over: world.database).person(
            of: "https://id.example", subject: "eve", email: nil, displayName: "Eve"
        )
        #expect(again.id == eve.id)
        #expect(try await audited(world) == ["user.create \(eve.id)"])
    }

    @Test("ADM-1: a line says what was made, once; what is not changed has none, and what fails in between is told so")
    func ends() async throws {
        let world = try await ServiceWorld()
        let (access, users) = (world.access, users(of: world, over: world.database))
        let made = try await access.auditing("user.create", by: ann, app: nil) {
            try await users.create(name: "ben", displayName: nil, password: nil, isOperator: true, roles: [:])
        } as: { user in
            .done(app: nil, target: String(user.id))
        }
        #expect(try await audited(world) == ["user.create \(made.id)"])

        await #expect(throws: ServiceError.self) {
            try await access.auditing("user.create", by: ann, app: nil) {
                try await users.create(name: "ben", displayName: nil, password: nil, isOperator: true, roles: [:])
            } as: { user in
                .done(app: nil, target: String(user.id))
            }
        }
        #expect(try await audited(world) == ["user.create \(made.id)"])

        await #expect(throws: Failure.self) {
            try await access.auditing("contact.merge", by: ann, app: world.app.code, target: "7") {
                () async throws -> Void in
                try await users.change("ben", displayName: "ben", isOperator: false, isDisabled: false)
                throw Failure()
            } as: { _ in
                .done(app: world.app.code, target: "7")
            }
        }
        #expect(try await audited(world).last == "contact.merge.fail 7")
    }

    @Test("ADM-1, SEC-9: what became of a change is held while the disk has no room, and said once it has")
    func endsOnAFullDisk() async throws {
        let world = try await ServiceWorld()
        let room = Mutex(0)
        let database = FaultyDatabase(world.database) { _ in
            let left = room.withLock { left in
                left -= 1
                return left
            }
            if left < 0 { throw StoreError.full(reason: "disk") }
        }
        let access = AdminAccess(rootKey: TestKeys.rootKey, database: database, environment: world.environment)
        let users = users(of: world, over: database)

        room.withLock { $0 = 1 }
        let made = try await access.auditing("user.create", by: ann, app: nil) {
            try await users.create(name: "ben", displayName: nil, password: nil, isOperator: true, roles: [:])
        } as: { user in
            .done(app: nil, target: String(user.id))
        }
        #expect(try await audited(world) == ["user.create -"])
        #expect(access.log.heldCount == 1)
        await access.log.writeHeld(logger: world.logger)
        #expect(access.log.heldCount == 1)
        room.withLock { $0 = 9 }
        await access.log.writeHeld(logger: world.logger)
        #expect(access.log.heldCount == 0)
        #expect(try await audited(world) == ["user.create \(made.id)"])

        room.withLock { $0 = 1 }
        await #expect(throws: StoreError.full(reason: "disk")) {
            try await access.auditing("contact.merge", by: ann, app: world.app.code, target: "7") {
                () async throws -> Void in
                try await users.change("ben", displayName: "ben", isOperator: false, isDisabled: false)
                try await users.change("ben", displayName: "ben", isOperator: false, isDisabled: true)
            } as: { _ in
                .done(app: world.app.code, target: "7")
            }
        }
        #expect(try await audited(world).last == "contact.merge 7")
        room.withLock { $0 = 9 }
        await access.log.writeHeld(logger: world.logger)
        #expect(access.log.heldCount == 0)
        #expect(try await audited(world) == ["user.create \(made.id)", "contact.merge.fail 7"])
    }

    @Test("ADM-1: of what was announced no write carries a line, and what writes nothing is told at its end")
    func uncarried() async throws {
        let world = try await ServiceWorld()
        let (access, app) = (world.access, world.app.code)
        let users = users(of: world, over: world.database)
        _ = try await users.create(name: "ben", displayName: nil, password: nil, isOperator: true, roles: [:])
        let meanwhile = try await access.auditing("contact.erase", by: ann, app: app, target: "7") {
            try await access.announcing("contact.erase", by: ann, app: app, target: "7") {
                try await users.change("ben", displayName: "ben", isOperator: false, isDisabled: false)
                return try await audited(world)
            }
        } as: { _ in
            .done(app: app, target: "7")
        }
        #expect(meanwhile == ["contact.erase.begin 7"])
        #expect(try await audited(world) == ["contact.erase.begin 7", "contact.erase 7"])
    }

    @Test("ADM-1: a held line that the database refuses for good is dropped and reported, others continue")
    func rejectedWhenHeld() async throws {
        let world = try await ServiceWorld()
        let isFull = Mutex(true)
        let database = FaultyDatabase(world.database) { connection in
            if isFull.withLock({ $0 }) { throw StoreError.full(reason: "disk") }
            let isRejected = try connection.audit.newest(1_000).contains { $0.target == "3" || $0.target == "600" }
            if isRejected { throw StoreError.rejected(reason: "a rule") }
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
    func rejected() async throws {
        let world = try await ServiceWorld()
        let log = AuditLog(database: FaultyDatabase(world.database) { _ in throw StoreError.rejected(reason: "rule") })
        await #expect(throws: StoreError.self) { try await log.append(entry(0)) }
        #expect(log.heldCount == 0)
    }
}
