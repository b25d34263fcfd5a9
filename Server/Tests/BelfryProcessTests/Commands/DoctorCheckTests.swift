import BelfryModel
import BelfryPostgres
import BelfryServices
import BelfryStore
import Foundation
import Testing

@testable import BelfryCommand

@Suite("What belfry doctor makes of what it sees")
struct DoctorCheckTests {
    private static let postgres = DatabaseCheck.PostgresFacts(
        version: 170_002, encoding: "UTF8", durability: ["fsync": "on", "synchronous_commit": "on"], isReplica: false,
        maximumConnections: 100, usedConnections: 5, wantedConnections: 10
    )

    private static func postgres(_ change: (inout DatabaseCheck.PostgresFacts) -> Void) -> DatabaseCheck {
        var facts = postgres
        change(&facts)
        return .postgres(facts)
    }

    private static func disk(free: Int64, _ floor: DiskFloor = .standard) -> DiskCheck {
        DiskCheck(
            path: "data", space: DiskSpace(total: 100_000_000_000, available: free, unsettled: 0), floor: floor)
    }

    private static func databaseDisk(_ disk: DatabaseDisk, free: Int64 = 50_000_000_000) -> DatabaseDiskCheck {
        DatabaseDiskCheck(
            disk: disk, floor: .standard, space: DiskSpace(total: 100_000_000_000, available: free, unsettled: 0))
    }

    private static func credentials(_ result: CredentialCheckResult) -> CredentialsCheck {
        CredentialsCheck(entries: [.init(app: "shop", provider: .apns, result: result)])
    }

    private static let now = Date(timeIntervalSince1970: 1_795_262_400)

    private static func partitions(until end: String) -> TablePartitions {
        let end = Timestamp.date(end)?.milliseconds
        return TablePartitions(table: .auditLog, parts: [TablePartition(name: "audit_log_first", end: end)])
    }

    private static func node(answers: Bool) -> CitusNode {
        CitusNode(host: "worker1", port: 5_432, answers: answers)
    }

    private static let own = FolderCheck.State.own(mode: 0o700)

    private static let healthy: [any DoctorCheck] = [
        DoctorSettingsCheck(problem: nil),
        FolderCheck(path: "data", state: own, keys: [.init(name: "admin-key", mode: 0o600)]),
        DamageCheck(path: "data", isMarked: false),
        DatabaseCheck.sqlite(journalMode: "wal"), DatabaseCheck.postgres(postgres), SchemaCheck(found: 7, known: 7),
        postgres { ($0.servers, $0.synchronousStandbys) = (3, "node2") },
        ClusterCheck(nodes: [node(answers: true)]),
        // Some three years of weeks, and half a year of them.
        postgres { ($0.partitions, $0.locks) = (160, [.locks: 64, .readLocks: 1_024]) },
        postgres { ($0.partitions, $0.locks) = (25, [.locks: 64, .readLocks: 64]) },
        PartitionCheck(partitions: TablePartitions(table: .auditLog, parts: nil), now: now),
        PartitionCheck(partitions: TablePartitions(table: .events, parts: nil), now: now),
        PartitionCheck(partitions: partitions(until: "2027-03-01T00:00:00Z"), now: now),
        // The last of the months ahead is made within the hour.
        PartitionCheck(partitions: partitions(until: "2027-02-01T00:00:00Z"), now: now),
        disk(free: 50_000_000_000), disk(free: 1, .off), databaseDisk(.watched(folder: "/pg")),
        databaseDisk(.unwanted), databaseDisk(.elsewhere), OpenFilesCheck(hard: 1_048_576),
        QuarantineCheck(counts: [:]),
        ClockCheck(references: [.init(name: "x", ahead: -4)]), credentials(.accepted),
        PortCheck(host: "::1", port: 8_080, occupant: .nobody), PortCheck(host: "::1", port: 8_080, occupant: .belfry),
        ServerCheck(address: "http://a", state: .ready),
        ProxyCheck(peer: "10.0.0.1", isForwarded: true, isTrusted: true, isDirect: false),
        ProxyCheck(peer: "127.0.0.1", isForwarded: false, isTrusted: false, isDirect: true),
    ]

    /// What is wrong, how bad it is, and a word of what it says.
    private static let faults: [(check: any DoctorCheck, verdict: DoctorVerdict, word: String)] = [
        (DoctorSettingsCheck(problem: "There is no port 70000."), .error, "70000"),
        (FolderCheck(path: "data", state: .missing), .warning, "no data directory"),
        (FolderCheck(path: "data", state: .anothers), .error, "another user"),
        (FolderCheck(path: "data", state: .own(mode: 0o777)), .error, "everybody"),
        (FolderCheck(path: "data", state: own, keys: [.init(name: "admin-key", mode: 0o640)]), .error, "chmod 600"),
        (DatabaseCheck.absent(path: "data/belfry.sqlite"), .warning, "no database"),
        (DatabaseCheck.unreachable(reason: "no route"), .error, "no route"),
        (DatabaseCheck.sqlite(journalMode: "delete"), .warning, "delete"),
        (postgres { $0.version = 130_004 }, .error, "PostgreSQL 13"),
        (postgres { $0.encoding = "LATIN1" }, .error, "LATIN1"),
        (postgres { $0.isReplica = true }, .error, "replica"),
        (postgres { $0.durability["fsync"] = "off" }, .error, "fsync"),
        (postgres { $0.servers = 3 }, .warning, "no standby confirms"),
        (
            postgres {
                $0.synchronousStandbys = "node2"
                $0.durability["synchronous_commit"] = "local"
            }, .warning, "is local"
        ),
        (postgres { $0.usedConnections = 95 }, .warning, "max_connections"),
        (
            postgres { ($0.partitions, $0.locks) = (161, [.locks: 64, .readLocks: 1_024]) }, .warning,
            "max_locks_per_transaction = 128"
        ),
        (
            postgres { ($0.partitions, $0.locks) = (26, [.locks: 64, .readLocks: 64]) }, .warning,
            "max_pred_locks_per_transaction = 128"
        ),
        (ClusterCheck(nodes: [node(answers: false)]), .error, "worker1:5432, one of 1"),
        (DamageCheck(path: "data", isMarked: true), .error, "data/database-damaged"),
        (SchemaCheck(found: nil, known: 7), .warning, "no schema"),
        (SchemaCheck(found: 0, known: 7), .warning, "no schema"),
        (SchemaCheck(found: 6, known: 7), .warning, "migrates"), (SchemaCheck(found: 8, known: 7), .warning, "upgrade"),
        (SchemaCheck(found: 9, known: 7), .error, "newer"),
        (PartitionCheck(partitions: partitions(until: "2027-01-01T00:00:00Z"), now: now), .warning, "for 2027-01."),
        (disk(free: 4_000_000_000), .error, "4 GB"), (disk(free: 9_000_000_000), .warning, "9 GB"),
        (DiskCheck(path: "data", space: nil, floor: .standard), .warning, "file system"),
        (databaseDisk(.watched(folder: "/pg"), free: 4_000_000_000), .error, "4 GB"),
        (databaseDisk(.undisclosed), .warning, "--database-folder"),
        (databaseDisk(.undisclosed), .warning, "pg_read_all_settings"),
        (databaseDisk(.absent(folder: "/pg/main")), .warning, "/pg/main cannot be seen"),
        (OpenFilesCheck(hard: 256), .error, "256"), (OpenFilesCheck(hard: 1_024), .warning, "LimitNOFILE"),
        (QuarantineCheck(counts: [.batch: 2, .plan: 0]), .warning, "2 batch"),
        (ClockCheck(references: []), .warning, "no other clock"),
        (ClockCheck(references: [.init(name: "x", ahead: 30)]), .warning, "30 s ahead of x"),
        (ClockCheck(references: [.init(name: "x", ahead: -3_600)]), .error, "3600 s behind x"),
        (CredentialsCheck(bare: ["shop"]), .warning, "shop has no credentials"),
        (credentials(.rejected(reason: "InvalidProviderToken")), .error, "InvalidProviderToken"),
        (credentials(.unknown(reason: "timeout")), .warning, "timeout"),
        (credentials(.unreadable), .error, "decrypted"),
        (CredentialsCheck(untried: ["shop", "crm"]), .warning, "shop, crm were not tried"),
        (PortCheck(host: "::", port: 80, occupant: .otherProgram), .error, "[::]:80"),
        (PortCheck(host: "::", port: 80, occupant: .belfryOnIPv4), .error, "[::]:80 is not free"),
        (PortCheck(host: "127.0.0.1", port: 80, occupant: .silent), .error, "did not respond in time"),
        (PortCheck(host: "192.0.2.1", port: 80, occupant: .unusable(reason: "no")), .error, "192.0.2.1:80"),
        (ServerCheck(address: "http://a", state: .notReady(reason: "No room.")), .error, "No room."),
        (ServerCheck(address: "http://a", state: .unreachable(reason: "refused")), .error, "refused"),
        (ServerCheck(address: "http://a", state: .silent(reason: "Connect timeout")), .error, "Connect timeout"),
        (
            ServerCheck(address: "https://a", state: .misnamed(hosts: ["b.example", "127.0.0.1"])), .error,
            "b.example, nor for 127.0.0.1"
        ),
        (ServerCheck(address: "https://a", state: .untrusted(reason: "expired")), .error, "expired"),
        (ServerCheck(address: "http://a", state: .foreign), .error, "not a Belfry server"),
        (ServerCheck(address: "http://a", state: .locked(reason: "No key.")), .warning, "No key."),
        (
            ProxyCheck(peer: "10.0.0.1", isForwarded: true, isTrusted: false, isDirect: false), .error,
            "--trusted-proxies 10.0.0.1"
        ),
        (ProxyCheck(peer: "10.0.0.1", isForwarded: false, isTrusted: true, isDirect: false), .error, "does not send"),
        (
            ProxyCheck(peer: "127.0.0.1", isForwarded: false, isTrusted: false, isDirect: false), .warning,
            "X-Forwarded-For"
        ),
    ]

    @Test("CLI-6: what is well is ok, and needs no advice")
    func well() {
        for check in Self.healthy {
            #expect(check.findings.map(\.verdict) == [.ok], "\(check)")
            #expect(check.findings.allSatisfy { $0.advice == nil }, "\(check)")
        }
    }

    @Test("CLI-6: each kind of fault has its verdict, says what it is and what to do")
    func faults() {
        for (check, verdict, word) in Self.faults {
            let findings = check.findings
            #expect(findings.map(\.verdict) == [verdict], "\(check)")
            let text = findings.map { $0.finding + " " + ($0.advice ?? "") }.joined()
            #expect(text.contains(word) && findings.allSatisfy { $0.advice?.isEmpty == false }, "\(check): \(text)")
        }
    }

    @Test("CLI-6: what a call takes is no difference of the clocks; only what lies outside of it is")
    func clockOfSlowCall() {
        let asked = Date(timeIntervalSince1970: 1_795_262_400)
        let answered = asked.addingTimeInterval(30)
        let cases: [(said: TimeInterval, ahead: TimeInterval)] = [(0, 0), (12, 0), (30, 0), (-7, 7), (38, -8)]
        for (said, ahead) in cases {
            let date = asked.addingTimeInterval(said)
            #expect(ClockCheck.ahead(of: date, asked: asked, answered: answered) == ahead)
            // The clock was set back in between.
            #expect(ClockCheck.ahead(of: date, asked: answered, answered: asked) == ahead)
            let answer = DoctorServer.Response(status: 200, body: Data(), asked: asked, answered: answered, date: date)
            #expect(answer.ahead == ahead)
        }
        let timeless = DoctorServer.Response(status: 200, body: Data(), asked: asked, answered: answered, date: nil)
        #expect(timeless.ahead == nil)
    }

    @Test("CLI-6: a port that is free says that no server is there, and who says nothing may be a Belfry server")
    func occupants() {
        let free = PortCheck(host: "127.0.0.1", port: 9_999, occupant: .nobody).findings
        #expect(free.map(\.finding) == ["127.0.0.1:9999 is free: no server listens there."])
        // A server that runs elsewhere is none whose port is free.
        for (port, words) in [(9_999, "no server listens on 127.0.0.1:9999"), (0, "do not say on which port")] {
            let check = PortCheck(host: "127.0.0.1", port: port, occupant: .nobody, isDataInUse: true)
            #expect(check.findings.map(\.verdict) == [.warning])
            #expect(check.findings.allSatisfy { $0.finding.contains(words) }, "\(words)")
        }
        let taken = PortCheck(host: "127.0.0.1", port: 5_432, occupant: .otherProgram, isDataInUse: true).findings
        #expect(taken.map(\.finding) == ["Another program than Belfry listens on 127.0.0.1:5432."])
        #expect(taken.allSatisfy { $0.verdict == .error && $0.advice?.contains("was started") == true })
        let some: [PortCheck.Occupant] = [.belfry, .belfryOnIPv4, .silent]
        #expect(some.allSatisfy { $0.mayBeBelfry })
        let others: [PortCheck.Occupant] = [.nobody, .otherProgram, .unusable(reason: "no")]
        #expect(!others.contains { $0.mayBeBelfry })
        func mayBeBelfry(_ state: ServerCheck.State) -> Bool {
            DoctorServer.Visit(server: ServerCheck(address: "http://a", state: state)).mayBeBelfry
        }
        #expect(mayBeBelfry(.silent(reason: "no response in time")) && !mayBeBelfry(.unreachable(reason: "refused")))
    }

    @Test("CLI-6: a data directory is in use as long as its lock is held; asking makes nothing")
    func dataDirectory() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-doctor-\(UUID().uuidString)")
        let lock = folder.appending(path: DataDirectory.lockName).path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(!DoctorMachine.isInUse(folder.path) && !FileManager.default.fileExists(atPath: lock))
        let descriptor = open(lock, O_RDWR | O_CREAT, 0o600)
        #expect(descriptor >= 0 && !DoctorMachine.isInUse(folder.path))
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0 && DoctorMachine.isInUse(folder.path))
        close(descriptor)
        #expect(!DoctorMachine.isInUse(folder.path))
    }

    @Test("CLI-6: several faults of one thing are several lines, and the report is as bad as the worst")
    func report() {
        var report = DoctorReport()
        report.add(DoctorSettingsCheck(problem: nil))
        #expect(report.verdict == .ok && report.verdict.exitCode == 0)
        report.add(QuarantineCheck(counts: [.upkeep: 1]))
        #expect(report.verdict == .warning && report.verdict.exitCode == 1)
        report.add(
            Self.postgres {
                $0.isReplica = true
                $0.encoding = "SQL_ASCII"
            })
        report.add(DoctorSettingsCheck(problem: nil))
        #expect(report.verdict == .error && report.verdict.exitCode == 2)
        #expect(report.findings.map(\.check) == ["settings", "quarantine", "database", "database", "settings"])
        #expect(report.text.hasSuffix("2 ok, 1 warning, 2 error"))
    }
}
