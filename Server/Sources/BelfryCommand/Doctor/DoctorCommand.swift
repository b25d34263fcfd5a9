import ArgumentParser
import AsyncHTTPClient
import BelfryModel
import BelfryServices
import BelfryStore
import Foundation

/// Inspects a deployment and says what to correct (CLI-6).
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check a deployment and say what to do.",
        discussion: """
            Takes the settings as 'belfry serve' does: flags, environment, YAML file. Checks settings, data directory, \
            database, cluster, damage, schema, partitions, credentials (by a push for a device that does not exist), clock, disk, open files, port \
            and quarantined work; with --server, or when a server listens on the port, also the running server and the \
            proxy in front of it. Changes nothing. The exit code is 0 if all is well, 1 for warnings, 2 for errors.
            """
    )

    @OptionGroup var admin: AdminOptions

    @Option(help: "The folder of the database and the keys. (default: data)")
    var data: String?

    @Option(help: "A PostgreSQL database instead of SQLite; better in BELFRY_DATABASE.")
    var database: String?

    @Option(help: "The address that the server listens on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The port that the server listens on. (default: 8080)")
    var port: Int?

    @Option(help: "A folder on the disk of the PostgreSQL database, as for 'belfry serve'.")
    var databaseFolder: String?

    @Option(help: "How much of the disk of the database stays free, as for 'belfry serve'.")
    var diskFloor: String?

    @Option(name: .customLong("config"), help: "The YAML file of the server.")
    var file: String?

    func run() async throws {
        let report = await DoctorVisit(command: self, environment: .live).report()
        try admin.show(report, \.text)
        guard report.verdict == .ok else { throw ExitCode(report.verdict.exitCode) }
    }
}

/// One run of the doctor. It gathers facts in the order of the report, and a check judges each of them.
struct DoctorVisit {
    let command: DoctorCommand
    let environment: ServerEnvironment

    private var variables: [String: String] { ProcessInfo.processInfo.environment }

    func report() async -> DoctorReport {
        var report = DoctorReport()
        let configuration: ServeConfiguration
        let namedDisk: DatabaseDisk?
        do {
            configuration = try await ServeConfiguration.read(
                flags: .init(
                    host: command.host, port: command.port, data: command.data, database: command.database,
                    databaseFolder: command.databaseFolder, diskFloor: command.diskFloor
                ),
                environment: variables, file: command.file
            )
            namedDisk = try configuration.databaseFolder.map { try DatabaseDisk(named: $0) }
        } catch {
            report.add(DoctorSettingsCheck(problem: "\(error)"))
            return report
        }
        report.add(DoctorSettingsCheck(problem: nil))
        let data = URL(filePath: configuration.data, directoryHint: .isDirectory).absoluteURL
        report.add(DoctorMachine.folder(data.path))
        let database = DoctorDatabase.read(
            configuration, file: data.appending(path: "belfry.sqlite"), now: environment.now
        )
        report.add(database.check)
        if let nodes = database.nodes { report.add(ClusterCheck(nodes: nodes)) }
        report.add(DamageCheck(path: data.path, isMarked: DamageMark.isSet(in: data)))
        if let schema = database.schema { report.add(SchemaCheck(found: schema, known: Migration.newest)) }
        for table in database.partitions { report.add(PartitionCheck(partitions: table, now: environment.now())) }
        let floor = configuration.diskFloor
        if configuration.database == nil {
            report.add(DoctorMachine.disk(Self.existing(data), floor: floor))
        } else if let disk = namedDisk ?? database.folder.map({ DatabaseDisk(of: floor == .off ? nil : $0) }) {
            report.add(DoctorMachine.disk(disk, floor: floor))
        }
        report.add(DoctorMachine.openFiles())
        var clocks: [ClockCheck.Reference] = []
        if let ahead = database.ahead { clocks.append(.init(name: "the database server", ahead: ahead)) }
        let (isRunning, visit) = await visitServer(configuration, data, &report, &clocks)
        let secret = configuration.secretKey ?? Self.secret(data.appending(path: "secret-key"))
        let credentials = DoctorCredentials(configuration: configuration, environment: environment, secret: secret)
        // The database supplies what the server has not reported.
        if database.schema != nil {
            if visit?.credentials == nil {
                report.add(await Self.check(credentials, of: database.apps, besideServer: isRunning))
            }
            if visit?.quarantine == nil { report.add(QuarantineCheck(counts: database.quarantined)) }
        }
        clocks += await credentials.clocks(database.apps)
        report.add(ClockCheck(references: clocks))
        return report
    }

    /// The nearest existing folder: a folder that does not exist yet will be on the disk of its parent.
    private static func existing(_ url: URL) -> String {
        var url = url
        while !FileManager.default.fileExists(atPath: url.path), url.pathComponents.count > 1 {
            url.deleteLastPathComponent()
        }
        return url.path
    }

    private static func secret(_ file: URL) -> String? {
        (try? String(contentsOf: file, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Calls the push services only when no server is running: with two provider tokens in use, APNs would reject both.
    private static func check(
        _ credentials: DoctorCredentials, of apps: [DoctorDatabase.App], besideServer isRunning: Bool
    ) async -> CredentialsCheck {
        guard isRunning else { return await credentials.check(apps) }
        return CredentialsCheck(
            bare: apps.filter(\.credentials.isEmpty).map(\.code),
            untried: apps.filter { !$0.credentials.isEmpty }.map(\.code)
        )
    }

    /// Checks the port, and visits the server that was named or that listens there.
    ///
    /// - Returns: whether a Belfry server may be running on the port or at the named address, and the visit's results.
    private func visitServer(
        _ configuration: ServeConfiguration, _ data: URL, _ report: inout DoctorReport,
        _ clocks: inout [ClockCheck.Reference]
    ) async -> (isRunning: Bool, visit: DoctorServer.Visit?) {
        let addresses = OwnAddress.all(of: configuration)
        let occupant = await occupant(of: configuration, at: addresses)
        let isNamed = command.admin.server != nil || variables["BELFRY_SERVER"]?.isEmpty == false
        // With a named server, the operator need not also give its port, so a data directory in use says nothing about
        // the port.
        let isInUse = !isNamed && DoctorMachine.isInUse(data.path)
        report.add(
            PortCheck(host: configuration.host, port: configuration.port, occupant: occupant, isDataInUse: isInUse)
        )
        var visit: DoctorServer.Visit?
        if isNamed {
            visit = await DoctorServer.visit(admin(data), now: environment.now)
        } else if occupant == .belfry {
            visit = await DoctorServer.visit(admin(data), at: addresses, now: environment.now)
        }
        if let ahead = visit?.ahead { clocks.append(.init(name: "the server", ahead: ahead)) }
        visit?.add(to: &report)
        return (isInUse || occupant.mayBeBelfry || visit?.mayBeBelfry == true, visit)
    }

    /// Who listens on the port. The certificate may be for another name and the key may be another one: a Belfry server
    /// is recognized all the same.
    private func occupant(
        of configuration: ServeConfiguration, at addresses: [OwnAddress]
    ) async -> PortCheck.Occupant {
        let occupant = await DoctorMachine.occupant(of: configuration.host, port: configuration.port)
        guard occupant == .otherProgram, let listening = addresses.last else { return occupant }
        let known = await DoctorServer.occupant(at: listening.text)
        guard known == .otherProgram, let other = OwnAddress.overIPv4(of: configuration) else { return known }
        let overIPv4 = await DoctorServer.occupant(at: other.text)
        return overIPv4 == .belfry ? .belfryOnIPv4 : overIPv4
    }

    /// The options with the server's admin key: as for other commands, or else the key in the data directory.
    private func admin(_ data: URL) -> AdminOptions {
        var admin = command.admin
        let file = data.appending(path: "admin-key").path
        if admin.keyFile == nil, variables[AdminKey.variable] == nil, FileManager.default.fileExists(atPath: file) {
            admin.keyFile = file
        }
        return admin
    }
}
