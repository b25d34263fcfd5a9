import Foundation
import Testing

@Suite("The server cannot start")
struct BadStartTests {
    enum Cause: CaseIterable, CustomTestStringConvertible {
        case portTaken
        case dataNotWritable
        case dataInUse
        case secretKeyTooShort
        case adminKeyTooShort
        case settingUnreadable
        case secretKeyFileTooShort
        case adminKeyFileEmpty
        case keyFileOpenToOthers
        case dataIsEverybodys
        case databaseWithoutSecretKey
        case databaseNotReached
        case databaseAddressUnreadable
        case databaseFolderMissing
        case databaseFolderIsFile
        case databaseFolderOfSQLite
        case distributedSQLite
        case roleUnknown
        case roleAlone

        var testDescription: String {
            switch self {
            case .portTaken: "the port is taken"
            case .dataNotWritable: "the data directory cannot be made"
            case .dataInUse: "another server has the data directory"
            case .secretKeyTooShort: "BELFRY_SECRET_KEY is too short"
            case .adminKeyTooShort: "BELFRY_ADMIN_KEY is too short"
            case .settingUnreadable: "a setting cannot be read"
            case .secretKeyFileTooShort: "the key in the file secret-key is too short"
            case .adminKeyFileEmpty: "the file admin-key is empty"
            case .keyFileOpenToOthers: "others may read the file secret-key"
            case .dataIsEverybodys: "everybody may write the data directory"
            case .databaseWithoutSecretKey: "a database that processes share, and no BELFRY_SECRET_KEY"
            case .databaseNotReached: "nobody answers where the database should be"
            case .databaseAddressUnreadable: "the address of the database cannot be read"
            case .databaseFolderMissing: "there is no folder by the name of --database-folder"
            case .databaseFolderIsFile: "what --database-folder names is a file"
            case .databaseFolderOfSQLite: "--database-folder with SQLite, whose folder is known"
            case .distributedSQLite: "SQLite is to be distributed"
            case .roleUnknown: "there is no such role"
            case .roleAlone: "one role on SQLite, which nobody shares"
            }
        }
    }

    @Test(
        "CLI-2, ADM-1, SEC-1: a bad start ends with a code and a sentence that names the cause",
        .timeLimit(.minutes(10)), arguments: Cause.allCases
    )
    func endsWithASentence(_ cause: Cause) async throws {
        try await withStage { stage in
            switch cause {
            case .portTaken:
                try await stage.withServer { server in
                    let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
                    let other = stage.folder.appending(path: "other")
                    let run = try stage.startServer(port: port, data: other)
                    try await expectEnd(run, naming: ["\(port)", "already in use"])
                }
            case .dataNotWritable:
                // A folder below a file: nobody can make it, root neither.
                let file = stage.folder.appending(path: "plain")
                try Data().write(to: file)
                let folder = file.appending(path: "data")
                try await expectEnd(try stage.startServer(data: folder), naming: [folder.path])
            case .dataInUse:
                // Two on one SQLite store would take each other's leases for a dead one's.
                try await stage.withServer { server in
                    try await expectEnd(try stage.startServer(), naming: [stage.dataDirectory.path])
                    _ = try await stage.http.call(.GET, "\(server.address)/readyz")
                }
            case .secretKeyTooShort:
                let run = try stage.startServer(environment: ["BELFRY_SECRET_KEY": "too-short"])
                try await expectEnd(run, naming: ["BELFRY_SECRET_KEY", "32"])
            case .adminKeyTooShort:
                let run = try stage.startServer(environment: ["BELFRY_ADMIN_KEY": "too-short"])
                try await expectEnd(run, naming: ["BELFRY_ADMIN_KEY", "32"])
            case .settingUnreadable:
                let run = try stage.startServer(environment: ["BELFRY_ALLOW_PRIVATE_ENDPOINTS": "maybe"])
                try await expectEnd(run, naming: ["allowPrivateEndpoints", "maybe", "true or false"])
            case .secretKeyFileTooShort:
                let file = try putFile("secret-key", "too-short\n", on: stage)
                try await expectEnd(try stage.startServer(), naming: [file.path, "32"])
            case .adminKeyFileEmpty:
                let file = try putFile("admin-key", "", on: stage)
                try await expectEnd(try stage.startServer(), naming: [file.path, "32"])
            case .keyFileOpenToOthers:
                let key = String(repeating: "too-short", count: 4)
                let file = try putFile("secret-key", key, mode: 0o640, on: stage)
                try await expectEnd(try stage.startServer(), naming: [file.path, "chmod 600"])
            case .dataIsEverybodys:
                try makeDataDirectory(mode: 0o777, on: stage)
                try await expectEnd(try stage.startServer(), naming: [stage.dataDirectory.path, "everybody"])
            case .distributedSQLite:
                let run = try stage.startServer(options: ["--distributed"])
                try await expectEnd(run, naming: ["'distributed'", "SQLite", "belfry migrate-store"])
            case .roleUnknown:
                let run = try stage.startServer(options: ["--role", "api,boss"])
                try await expectEnd(run, naming: ["role", "api,boss", "'api', 'worker'"])
            case .roleAlone:
                let run = try stage.startServer(environment: ["BELFRY_ROLE": "worker"])
                try await expectEnd(run, naming: ["'worker'", "PostgreSQL", "--database"])
            case .databaseWithoutSecretKey, .databaseNotReached, .databaseAddressUnreadable:
                try await startsWithBadDatabase(cause, on: stage)
            case .databaseFolderMissing, .databaseFolderIsFile, .databaseFolderOfSQLite:
                try await startsWithBadFolder(cause, on: stage)
            }
        }
    }

    /// STO-2, SEC-3: the password is in no message.
    private func startsWithBadDatabase(_ cause: Cause, on stage: Stage) async throws {
        // Port 1 of this machine: nobody listens there.
        var environment = ["BELFRY_DATABASE": "postgres://u:too-short@127.0.0.1:1/engagement"]
        var words = ["BELFRY_SECRET_KEY"]
        if cause != .databaseWithoutSecretKey {
            environment["BELFRY_SECRET_KEY"] = String(repeating: "long-enough", count: 3)
            words = ["engagement on 127.0.0.1", "refused"]
        }
        if cause == .databaseAddressUnreadable {
            environment["BELFRY_DATABASE"] = "postgres://u:too-short@[127.0.0.1/engagement"
            words = ["postgres://user:password@host:port/name"]
        }
        try await expectEnd(try stage.startServer(environment: environment), naming: words)
    }

    /// SEC-9: before the database is asked for anything.
    private func startsWithBadFolder(_ cause: Cause, on stage: Stage) async throws {
        // Nobody listens there.
        let nowhere = ServerDatabase.environment("postgres://u@127.0.0.1:1/engagement")
        let environment = cause == .databaseFolderOfSQLite ? [:] : nowhere
        let place = cause == .databaseFolderIsFile ? try stage.file("plain", "") : stage.folder.path + "/nothing"
        let words =
            switch cause {
            case .databaseFolderMissing: ["databaseFolder", place, "does not exist"]
            case .databaseFolderIsFile: ["databaseFolder", place, "is not a folder"]
            default: ["databaseFolder", "--data", "leave"]
            }
        let run = try stage.startServer(environment: environment, options: ["--database-folder", place])
        try await expectEnd(run, naming: words)
    }

    private func makeDataDirectory(mode: Int, on stage: Stage) throws {
        try FileManager.default.createDirectory(at: stage.dataDirectory, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: stage.dataDirectory.path)
    }

    private func putFile(_ name: String, _ text: String, mode: Int = 0o600, on stage: Stage) throws -> URL {
        try makeDataDirectory(mode: 0o700, on: stage)
        let file = stage.dataDirectory.appending(path: name)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file
    }

    private func expectEnd(_ run: ProgramRun, naming words: [String]) async throws {
        let address = await run.address
        run.send(SIGKILL)
        let exit = await run.exit
        let text = run.standardError
        #expect(address == nil, "it must not start")
        guard case .code(let code) = exit else {
            Issue.record("it was ended by a signal: \(exit). \(text)")
            return
        }
        #expect(code != 0)
        for word in words { #expect(text.contains(word), "does not name the cause: \(text)") }
        for trace in ["Fatal error", "Stack dump", "Crash", "Error Domain=", "Swift."] {
            #expect(!text.contains(trace), "not a sentence for people: \(text)")
        }
        #expect(!text.contains("too-short"), "a secret is never shown")
    }
}
