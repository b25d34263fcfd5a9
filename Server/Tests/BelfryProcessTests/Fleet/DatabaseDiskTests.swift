import BelfryPostgres
import BelfryServices
import BelfrySimulators
import BelfryStore
import Foundation
import Testing

@testable import BelfryCommand

@Suite("The floor of free disk on PostgreSQL")
struct DatabaseDiskTests {
    /// More than any disk has.
    private static let most = "99999TB"

    private static func readiness(_ server: ServerProcess, _ stage: Stage) async throws -> HTTPCaller.Response {
        try await stage.http.answer(.GET, "\(server.address)/readyz")
    }

    private static func awaitReadiness(
        _ status: Int, of server: ServerProcess, _ stage: Stage
    ) async throws -> String {
        let response = try await eventually("the server says \(status)") {
            try await readiness(server, stage)
        } until: {
            $0.status == status
        }
        return String(decoding: response.body, as: UTF8.self)
    }

    // MARK: Which disk

    @Test("SEC-9: a server's folder is watched if it may be on this machine; where nobody asked, none is")
    func found() {
        func disk(_ said: PostgresDataFolder, isHere: Bool = true) -> DatabaseDisk {
            DatabaseDisk(of: said, isHere: { _ in isHere })
        }
        #expect(disk(.here("/pg/main")) == .watched(folder: "/pg/main"))
        #expect(disk(.here("/pg/main"), isHere: false) == .absent(folder: "/pg/main"))
        #expect(disk(.undisclosed) == .undisclosed && disk(.elsewhere) == .elsewhere)
        let unwanted = DatabaseDisk(of: nil, isHere: { _ in true })
        #expect(unwanted == .unwanted && unwanted.disk == nil)
    }

    @Test("SEC-9: a folder in which there is no server is none of a server, however its name came here")
    func lookedAt() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-pg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(!DatabaseDisk.mayHoldDatabase(folder.path))
        try Data("15\n".utf8).write(to: folder.appending(path: "PG_VERSION"))
        #expect(DatabaseDisk.mayHoldDatabase(folder.path))
        #expect(!DatabaseDisk.mayHoldDatabase(folder.path + "/nothing") && !DatabaseDisk.mayHoldDatabase("."))
    }

    @Test("SEC-9: the folder that an operator names has to be one, and its disk is the one that is watched")
    func named() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let disk = try DatabaseDisk(named: folder)
        #expect(disk == .watched(folder: folder) && disk.disk != nil)
        #expect(throws: ServeConfigurationError.self) { try DatabaseDisk(named: "\(folder)/\(UUID().uuidString)") }
    }

    // MARK: What it does

    @Test(
        """
        SEC-9, LED-1: below the floor of the disk of --database-folder what makes the store grow is refused, reads go \
        on, and so does a campaign to its end; once there is room the server goes on by itself
        """,
        .enabled(if: SmallDisk.isPermitted, SmallDisk.reason), .timeLimit(.minutes(15))
    )
    func belowTheFloor() async throws {
        // The service answers some, and then falls silent until the disk is below the floor.
        let (recipients, answered) = (60, 20)
        let faults = try FaultPlan(seed: 1, silentAfter: answered)
        try await withPushService(streams: 10, faults: faults) { service in
            try await SmallDisk.run(megabytes: 4) { disk in
                try await withStage { stage in
                    try await stage.withDatabase(.postgres) { database in
                        let options = [
                            "--rate-limit", "off", "--disk-floor", "5%", "--database-folder", disk.folder.path,
                        ]
                        try await stage.withServer(environment: database.environment, options: options) { server in
                            let admin = stage.admin(server)
                            try await admin.createApp()
                            try await admin.putCredentials(service.credentials)
                            _ = try await TestFleet.register(recipients, at: server, with: service, stage)
                            let device = DeviceCaller(server: server, http: stage.http)
                            try await device.linkAnonymously()
                            let kept = UUID().uuidString
                            try await device.send([.custom("before", id: kept)])
                            let campaign = try await admin.createCampaign("Below the floor")
                            try await admin.change(campaign, "launch")
                            try await eventually("the campaign is under way") {
                                try await admin.campaign(campaign).counts.accepted
                            } until: {
                                $0 > 0
                            }
                            try disk.takeUp(try disk.available)
                            let reason = try await Self.awaitReadiness(503, of: server, stage)
                            #expect(reason.contains("storageFull"))
                            let rejected = try await device.attempt([.custom("meanwhile", id: UUID().uuidString)])
                            #expect(rejected.status == 503 && rejected.headers.first(name: "Retry-After") == "5")
                            #expect("\(rejected)".contains("storageFull"))
                            #expect(try await admin.eventIDs(of: device.id) == [kept])
                            // A write may have found it, and then the next look of the second tells.
                            try await eventually("the metric says so") {
                                try await stage.metric("belfry_disk_low", of: server)
                            } until: {
                                $0 == 1
                            }
                            #expect(try await admin.campaign(campaign).status == .sending)
                            service.simulator.setFaults(.none)
                            let ended = try await eventually("the campaign completes") {
                                try await admin.campaign(campaign)
                            } until: {
                                $0.status == .completed
                            }
                            #expect(ended.counts.accepted == recipients)
                            #expect(try await Self.readiness(server, stage).status == 503, "still below the floor")
                            try disk.giveBack()
                            _ = try await Self.awaitReadiness(200, of: server, stage)
                            let later = UUID().uuidString
                            try await device.send([.custom("after", id: later)])
                            let stored = try await admin.eventIDs(of: device.id)
                            #expect(Set(stored) == [kept, later])
                        }
                    }
                }
            }
        }
    }

    @Test(
        """
        SEC-9, CLI-6: a server on this machine is asked where its files are; who is not told says so at the start, and \
        watches the folder that the operator names
        """,
        .timeLimit(.minutes(15))
    )
    func asksTheServer() async throws {
        try await withStage { stage in
            try await stage.withPostgresCluster { cluster in
                let own = cluster.address(password: PostgresCluster.password)
                let options = ["--rate-limit", "off", "--log-level", "info", "--disk-floor", Self.most]
                // Its user may read all settings, and no disk has as much as is to stay free.
                try await stage.withServer(
                    environment: ServerDatabase.environment(own), options: options, isReady: false
                ) { server in
                    let reason = try await Self.awaitReadiness(503, of: server, stage)
                    #expect(reason.contains("storageFull"))
                    let said = server.run.standardError
                    #expect(
                        said.contains("the floor of free space applies to the disk") && said.contains("folder="),
                        "\(said)")
                }
                // libpq has the list from its environment, and the address names no server.
                var several = ServerDatabase.environment(own.replacing("@127.0.0.1:", with: "@:"))
                several["PGHOST"] = "127.0.0.1,127.0.0.1"
                try await stage.withServer(environment: several, options: options) { server in
                    let said = server.run.standardError
                    #expect(said.contains("may be on another machine"), "\(said)")
                }
                let unbounded = Array(options.dropLast()) + ["off"]
                try await stage.withServer(environment: ServerDatabase.environment(own), options: unbounded) { server in
                    let said = server.run.standardError
                    #expect(!said.contains("disk of the database"), "nobody has asked: \(said)")
                }
                for sql: SQLText in [
                    "CREATE ROLE plain LOGIN PASSWORD 'open-sesame'", "CREATE DATABASE plain OWNER plain",
                ] {
                    try await offPool { try PostgresScript.run(sql, at: PostgresAddress(own)) }
                }
                let plain = ServerDatabase.environment(
                    own.replacing("belfry:", with: "plain:").replacing("/postgres", with: "/plain")
                )
                try await stage.withServer(environment: plain, options: options) { server in
                    let said = server.run.standardError
                    #expect(said.contains("--database-folder") && said.contains("pg_read_all_settings"), "\(said)")
                    let status = try await Self.readiness(server, stage).status
                    #expect(status == 200)
                }
                let doctor = try await stage.command(
                    ["doctor", "--port", "0", "--disk-floor", Self.most], environment: plain)
                #expect(doctor.output.contains("does not say where its files are"), "\(doctor.output)")
                let named = options + ["--database-folder", stage.folder.path]
                try await stage.withServer(environment: plain, options: named, isReady: false) { server in
                    let reason = try await Self.awaitReadiness(503, of: server, stage)
                    #expect(reason.contains("storageFull"))
                }
            }
        }
    }
}
