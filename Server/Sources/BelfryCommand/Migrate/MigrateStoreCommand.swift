import ArgumentParser
import BelfryPostgres
import BelfrySQLite
import BelfryServices
import Foundation

/// Moves a deployment from SQLite to PostgreSQL (STO-4).
struct MigrateStoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate-store",
        abstract: "Move a SQLite deployment to PostgreSQL.",
        discussion: """
            Stop the server first. Copies all tables of the SQLite file in --data into an empty PostgreSQL database, \
            compares both by counts and checksums, and says what to do next. The file is read and never changed. After \
            a kill or a lost connection, the same command continues where it stopped; until it is finished, no server \
            starts on the database. The exit code is 0 if both are equal, else 1.
            """
    )

    @Option(help: "The folder of the SQLite database and the keys. (default: data)")
    var data: String?

    @Option(
        help: """
            The PostgreSQL database to move to: postgres://user@host/name. Put an address with a password into \
            BELFRY_DATABASE, because other users can see the command line.
            """
    )
    var database: String?

    @Option(name: .customLong("config"), help: "The YAML file of the server.")
    var file: String?

    @Flag(help: "Compare the two databases, and change nothing.")
    var verifyOnly = false

    @Flag(
        help: "Write U+FFFD for each null character in a text, which PostgreSQL cannot hold, instead of stopping there."
    )
    var replaceNullCharacters = false

    @Option(help: "The maximum number of rows in one transaction, 1 to 1000000.")
    var rows = StoreMover.RangeLimit.standardRows

    @Flag(help: "Print JSON for programs.")
    var json = false

    func validate() throws {
        let allowed = StoreMover.RangeLimit.allowedRows
        guard allowed.contains(rows) else {
            throw ValidationError("--rows must be \(allowed.lowerBound) to \(allowed.upperBound).")
        }
    }

    func run() async throws {
        let report = try await moved(environment: ProcessInfo.processInfo.environment)
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            print(report.text)
        }
        guard report.isEqual else { throw ExitCode(1) }
    }

    private func moved(environment: [String: String]) async throws -> MoveReport {
        var environment = environment
        // On a shared database a server needs the secret in its settings, but here it may be in the data directory.
        // Without the database variable, the settings pass that check.
        let variable = environment.removeValue(forKey: "BELFRY_DATABASE")
        // What a server asks for that has a database.
        for name in ["BELFRY_DISTRIBUTED", "BELFRY_COPY_ROWS"] { environment[name] = nil }
        let configuration = try await ServeConfiguration.read(
            flags: .init(data: data), environment: environment, file: file
        )
        guard let address = try (database ?? variable).map({ try PostgresAddress($0) }) ?? configuration.database else {
            throw MoveError.noDatabase
        }
        let place = URL(filePath: configuration.data, directoryHint: .isDirectory).absoluteURL
        guard FileManager.default.fileExists(atPath: place.appending(path: "belfry.sqlite").path) else {
            throw MoveError.noStore(path: place.path)
        }
        let directory = try DataDirectory(path: configuration.data)
        // The lock on the data directory keeps any server from running during the move.
        return try withExtendedLifetime(directory) {
            try report(directory, address, secret: configuration.secretKey)
        }
    }

    private func report(_ directory: DataDirectory, _ address: PostgresAddress, secret: String?) throws -> MoveReport {
        let live = ServerEnvironment.live
        let settings = PostgresSettings(address: address, questions: .live, now: live.now, jitter: live.jitter)
        var display = ProgressDisplay.standardError
        defer { display.end() }
        return try SQLiteSource.read(path: directory.database.path) { source in
            let steps = try MoveSteps(directory, secret: secret, source: source.connection)
            return try PostgresTarget.enter(settings) { target in
                let mover = StoreMover(
                    source: source, target: target, targetName: address.summary, limit: .init(rows: rows),
                    replacesNull: replaceNullCharacters, now: live.now,
                    tell: { display.show(percent: $0.percent, figures: $0.figures, line: $0.line) }
                )
                let (tables, isFinished) = try verifyOnly ? mover.verify() : mover.move()
                return MoveReport(
                    source: directory.database.path, target: address.summary, tables: tables, isFinished: isFinished,
                    next: steps.lines(isFinished: isFinished, isVerification: verifyOnly)
                )
            }
        }
    }
}
