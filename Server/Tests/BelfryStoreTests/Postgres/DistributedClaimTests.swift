import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

private struct Died: Error {}

/// FLEET-5: waiting work on a distributed database, where rows are locked for whoever names their device. With the
/// stand-in all rows are on one server, whose locks are the same.
struct DistributedClaimTests {
    /// Finishes what it claims.
    private static func finish(_ rows: [RegistrationRow], _ connection: any SQLConnection) throws -> [String] {
        for row in rows {
            try connection.registrations.finish(row.key, status: .processed, rejected: [], now: storeEpoch)
        }
        return rows.map(\.registrationID)
    }

    private static func lockingStatements(_ log: StatementLog) -> [String] {
        log.statements.filter { $0.contains("SKIP LOCKED") }
    }

    @Test(
        """
        FLEET-5, REG-20, REG-21, REL-1: two programs share the registrations that wait, none gets a device's later one \
        while the other has an earlier one, and those of a dead one come again, once
        """
    )
    func registrations() async throws {
        let store = try await CitusStandIn.store()
        let log = StatementLog()
        let first = try store.another()
        let second = try Engine.postgres.open(at: store.place, statements: log)
        defer { for program in [first, second] { try? program.close() } }
        try await store.write { connection in
            let devices = try connection.makeDevices(2, app: try connection.makeApp())
            for number in 1...6 {
                try connection.registrations.insert(
                    device: devices[number % 2], snapshot: snapshot("r\(number)", revision: Int64(number)),
                    requestOrder: 1, now: storeEpoch
                )
            }
        }
        let theirs = Handover<[String]>()
        await #expect(throws: Died.self) {
            try await first.database.write { connection in
                let mine = try connection.registrations.claimWaiting(limit: 1).map(\.registrationID)
                #expect(mine == ["r1"])
                // Meanwhile the other one claims, and ends what it gets.
                second.database.write { connection in
                    let waiting = try connection.registrations.waitingSnapshots(limit: 9, maximumBytes: 1 << 20)
                    let alone = try connection.registrations.claimWaiting(waiting[0].key)
                    let together = try connection.registrations.claimWaiting(waiting.map(\.key), except: [])
                    return try Self.finish([alone].compactMap(\.self) + together, connection)
                } completion: {
                    theirs.give((try? $0.get()) ?? [])
                }
                #expect(theirs.wait() == ["r2", "r4", "r6"])
                throw Died()
            }
        }
        let left = try await second.database.write { connection in
            try Self.finish(connection.registrations.claimWaiting(limit: 9), connection)
        }
        #expect(left == ["r1", "r3", "r5"])
        let rest = try await first.database.write { try $0.registrations.claimWaiting(limit: 9).count }
        #expect(rest == 0)
        let locking = Self.lockingStatements(log)
        let areByDevice = locking.allSatisfy { $0.contains("WHERE device_id = ? AND id = ?") }
        #expect(!locking.isEmpty && areByDevice)
    }

    /// Leases what is due of the app 1 until 75 s.
    private static func lease(_ limit: Int, _ connection: any SQLConnection) throws -> [Int64] {
        var rows = try connection.silentPushes.due(app: 1, now: seconds(60), limit: limit)
        for index in rows.indices { rows[index].state.dueAt = seconds(75) }
        try connection.silentPushes.save(rows, owner: "second")
        return rows.map(\.device)
    }

    private static func state(dueAt second: Double) -> SilentPushState {
        SilentPushState(waiting: .inApp, dueAt: seconds(second))
    }

    @Test(
        "FLEET-5, PUSH-7: two programs share the silent pushes that are due; for those of the other one later ones come"
    )
    func silentPushes() async throws {
        let store = try await CitusStandIn.store()
        let log = StatementLog()
        let first = try store.another()
        let second = try Engine.postgres.open(at: store.place, statements: log)
        defer { for program in [first, second] { try? program.close() } }
        let devices = try await store.write { connection in
            let app = try connection.makeApp()
            let devices = try connection.makeDevices(5, app: app)
            try connection.silentPushes.insert(devices, app: app)
            let rows = devices.enumerated().map { number, device in
                SilentPushRow(device: device, state: Self.state(dueAt: Double(number)))
            }
            try connection.silentPushes.save(rows, owner: nil)
            return devices
        }
        let (early, late) = (Handover<[Int64]>(), Handover<[Int64]>())
        await #expect(throws: Died.self) {
            try await first.database.write { connection in
                let mine = try connection.silentPushes.due(app: 1, now: seconds(60), limit: 2).map(\.device)
                #expect(mine == Array(devices[0...1]))
                second.database.write {
                    try Self.lease(2, $0)
                } completion: {
                    early.give((try? $0.get()) ?? [])
                }
                #expect(early.wait() == Array(devices[2...3]))
                second.database.write {
                    try Self.lease(9, $0)
                } completion: {
                    late.give((try? $0.get()) ?? [])
                }
                #expect(late.wait() == [devices[4]])
                throw Died()
            }
        }
        let left = try await first.database.write { connection in
            try connection.silentPushes.due(app: 1, now: seconds(60), limit: 9).map(\.device)
        }
        #expect(left == Array(devices[0...1]))
        // Those of the other one come once its lease has run out.
        let (before, after) = try await first.database.read { connection in
            (
                try connection.silentPushes.abandoned(now: seconds(74), limit: 9).map(\.row.device),
                try connection.silentPushes.abandoned(now: seconds(75), limit: 9).map(\.row.device)
            )
        }
        #expect(before.isEmpty && after == Array(devices[2...4]))
        let locking = Self.lockingStatements(log)
        let areByDevice = locking.allSatisfy { $0.contains("WHERE device_id = ?") }
        #expect(!locking.isEmpty && areByDevice)
    }

    private struct Found: Hashable, Sendable {
        /// Devices with pushes that were under way when a program died.
        let abandoned: [Int64]
        /// When the next push of each app is due: of all, but for one device, and but for what is leased as well.
        let due: [[Int64: Date]]

        init(except device: Int64, _ connection: any SQLConnection) throws {
            let pushes = connection.silentPushes
            abandoned = try pushes.abandoned(now: seconds(20), limit: 9).map(\.row.device)
            due = [
                try pushes.nextDue(), try pushes.nextDue(except: [device]),
                try pushes.nextDue(except: [device], includesLeased: false),
            ]
        }

        init(abandoned: [Int64], due: [[Int64: Date]]) {
            self.abandoned = abandoned
            self.due = due
        }
    }

    @Test(
        "FLEET-5, PUSH-7, SEC-8: what is due, and what a dead program left but for the quarantine, is as on one server")
    func due() async throws {
        let store = try await CitusStandIn.store()
        let log = StatementLog()
        let recorded = try store.another()
        let entered = try Engine.postgres.open(at: store.place, statements: log)
        defer { for program in [recorded, entered] { try? program.close() } }
        let devices = try await store.write { connection in
            for code in ["one", "two"] { _ = try connection.makeApp(code) }
            let devices = try connection.makeDevices(4, app: 1)
            try connection.silentPushes.insert(devices, app: 1)
            let rows = zip(devices, [5, 15, 10, 12] as [Double]).map {
                SilentPushRow(device: $0, state: Self.state(dueAt: $1))
            }
            try connection.silentPushes.save(Array(rows[..<1]), owner: nil)
            try connection.silentPushes.save(Array(rows[1...]), owner: "dead")
            for (device, status) in [(devices[2], WorkStatus.quarantined), (devices[3], WorkStatus.open)] {
                try connection.workAttempts.save(
                    WorkAttempt(
                        subject: .silentPush(device: device), status: status, attempts: 2, leaseUntil: storeEpoch,
                        since: storeEpoch
                    )
                )
            }
            return devices
        }
        let expected = Found(
            abandoned: [devices[1], devices[3]], due: [[1: seconds(5)], [1: seconds(12)], [:]]
        )
        for database in [store.database, recorded.database, entered.database] {
            let found = try await database.read { try Found(except: devices[0], $0) }
            #expect(found == expected)
        }
        // The attempts are on one server, and no statement compares them with the pushes of the others, or has the apps
        // look for theirs.
        let pushes = log.statements.filter { $0.contains("silent_pushes") }
        let areApart = pushes.allSatisfy { !$0.contains("work_attempts w") && !$0.contains("FROM apps") }
        #expect(!pushes.isEmpty && areApart)
    }

    @Test("FLEET-5, SEC-8, REG-20: the group of a program that died is taken apart by another one, with the apps")
    func groups() async throws {
        let store = try await CitusStandIn.store()
        let log = StatementLog()
        let entered = try Engine.postgres.open(at: store.place, statements: log)
        defer { try? entered.close() }
        let numbers = try await store.write { connection in
            let app = try connection.makeApp()
            let devices = try connection.makeDevices(2, app: app)
            // The last is of a device that is gone.
            for device in devices + [99] {
                try connection.registrations.insert(
                    device: device, snapshot: snapshot("r", revision: 1), requestOrder: 1, now: storeEpoch
                )
            }
            try connection.registrationGroups.begin(1...100, owner: "dead", until: seconds(15))
            return try connection.registrations.waitingSnapshots(limit: 9, maximumBytes: 1 << 20).map(\.id)
        }
        let parted = try await entered.database.write { connection in
            try ([14, 15, 15] as [Double]).map {
                try connection.registrationGroups.part(by: seconds($0), except: "heir")
            }
        }
        #expect(parted == [0, 3, 0])
        let (open, areAbandoned) = try await entered.database.read { connection in
            (
                try connection.workAttempts.open(.registration),
                try connection.registrationGroups.areAbandoned(by: seconds(15), except: "heir")
            )
        }
        #expect(open.map(\.subject.number) == numbers && open.map(\.app) == [1, 1, nil])
        #expect(!areAbandoned)
        let areApart = log.statements.allSatisfy { statement in
            !statement.contains("FROM registrations") || !statement.contains("work_attempts")
        }
        #expect(areApart)
    }

    @Test("FLEET-5, REG-27, PUSH-7: a device inherits the last push to its token from devices that may be elsewhere")
    func inherited() async throws {
        let store = try await CitusStandIn.store()
        let entered = try store.another()
        defer { try? entered.close() }
        let devices = try await store.write { connection in
            let app = try connection.makeApp()
            let devices = try connection.makeDevices(4, app: app)
            try connection.silentPushes.insert(Array(devices[..<2]), app: app)
            let rows = zip(devices, [20, 10] as [Double]).map { device, second in
                SilentPushRow(device: device, state: SilentPushState(sentAt: seconds(second)))
            }
            try connection.silentPushes.save(rows, owner: nil)
            return devices
        }
        let times = try await entered.database.write { connection in
            func sentAt(_ device: Int64) throws -> Date? {
                try connection.silentPushes.find(device: device)?.sentAt
            }
            try connection.silentPushes.inherit(from: Array(devices[..<2]), by: devices[2])
            let all = try sentAt(devices[2])
            // An earlier one takes nothing back, and who had none leaves none.
            try connection.silentPushes.inherit(from: [devices[1]], by: devices[2])
            try connection.silentPushes.inherit(from: [devices[3]], by: devices[1])
            return [all, try sentAt(devices[2]), try sentAt(devices[1]), try sentAt(devices[3])]
        }
        #expect(times == [seconds(20), seconds(20), seconds(10), nil])
    }
}
