import BelfryAPI
import Foundation
import Testing

@testable import BelfryCommand
@testable import BelfryProgram

@Suite("belfry install")
struct InstallTests {
    private static let unit = "etc/systemd/system/belfry.service"
    private static let users = "etc/sysusers.d/belfry.conf"
    private static let settings = "etc/belfry/belfry.yaml"
    private static let secrets = "etc/belfry/environment"

    private func text(_ path: String, of root: URL) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private func mode(_ path: String, of root: URL) -> mode_t? {
        var status = stat()
        return stat(root.appending(path: path).path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    @Test("FLEET-10: it writes unit, user and settings below another root; a second time changes nothing")
    func installs() async throws {
        try await withStage { stage in
            let root = stage.folder.appending(path: "root")
            let first = try await stage.command(["install", "--root", root.path])
            #expect(first.exit == .code(0), "\(first.errors)")
            #expect([Self.unit, Self.users, Self.settings].map { mode($0, of: root) } == [0o644, 0o644, 0o644])
            #expect(mode(Self.secrets, of: root) == 0o600)
            #expect(try text(Self.unit, of: root).contains("ExecStart=/usr/bin/belfry serve --config "))

            // Settings are the operator's from now on.
            try Data("port: 9090\n".utf8).write(to: root.appending(path: Self.settings))
            let second = try await stage.command(["install", "--root", root.path, "--force"])
            #expect(second.exit == .code(0), "\(second.errors)")
            #expect(
                second.output.split(separator: "\n").map { $0.prefix(9) } == [
                    "unchanged", "unchanged", "kept     ", "unchanged",
                ])
            #expect(try text(Self.settings, of: root) == "port: 9090\n")
        }
    }

    @Test("FLEET-10: a changed unit is refused, and then nothing is written; --force overwrites it")
    func changed() async throws {
        try await withStage { stage in
            let root = stage.folder.appending(path: "root")
            let unit = root.appending(path: Self.unit)
            try FileManager.default.createDirectory(
                at: unit.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("[Service]\nExecStart=/bin/true\n".utf8).write(to: unit)
            let rejected = try await stage.command(["install", "--root", root.path])
            rejected.expectError(1, naming: ["/etc/systemd/system/belfry.service", "--force", "systemctl edit"])
            #expect(try text(Self.unit, of: root) == "[Service]\nExecStart=/bin/true\n")
            #expect(!FileManager.default.fileExists(atPath: root.appending(path: Self.users).path))

            let forced = try await stage.command(["install", "--root", root.path, "--force"])
            #expect(forced.exit == .code(0), "\(forced.errors)")
            #expect(try text(Self.unit, of: root).contains("NoNewPrivileges=yes"))
        }
    }

    @Test("FLEET-10: --print writes nothing; --package has a distribution's places; a bad program is refused")
    func shows() async throws {
        try await withStage { stage in
            let root = stage.folder.appending(path: "root")
            let shown = try await stage.command(["install", "--root", root.path, "--print", "--package"])
            #expect(shown.exit == .code(0), "\(shown.errors)")
            for path in ["/usr/lib/systemd/system/belfry.service", "/usr/lib/sysusers.d/belfry.conf"] {
                #expect(shown.output.contains("==> \(path) (mode 644)"))
            }
            #expect(!FileManager.default.fileExists(atPath: root.path))
            for program in ["belfry", "/opt/bel fry", "/opt/belfry;reboot", "/opt/%h"] {
                let rejected = try await stage.command(["install", "--root", root.path, "--program", program])
                rejected.expectError(1, naming: ["absolute path"])
            }
            #expect(!FileManager.default.fileExists(atPath: root.path))
        }
    }

    @Test("FLEET-10: the unit and the settings are such that the program of this version starts with them")
    func fits() async throws {
        try await withStage { stage in
            let files = ServiceFiles(program: "/usr/bin/belfry", place: .operators).files
            let unit = try #require(files.first).text
            let lines = unit.split(separator: "\n")
            let start = try #require(lines.first { $0.hasPrefix("ExecStart=") })
            let words = start.dropFirst("ExecStart=".count).split(separator: " ").map(String.init)
            #expect(throws: Never.self) { _ = try BelfryProgram.parseAsRoot(Array(words.dropFirst())) }

            let settings = try #require(files.first { $0.path == ServiceFiles.settings })
            let file = try stage.file("belfry.yaml", settings.text)
            let configuration = try await ServeConfiguration.read(flags: .init(), environment: [:], file: file)
            #expect(configuration.host == "127.0.0.1" && configuration.port == 8080)

            // It has ended by itself before systemd loses patience, and more connections than it takes have handles.
            #expect(ServiceFiles.stopSeconds > EndLimit.standard.components.seconds + 5)
            #expect(lines.contains("TimeoutStopSec=\(ServiceFiles.stopSeconds)"))
            let handles = try #require(lines.first { $0.hasPrefix("LimitNOFILE=") }).dropFirst("LimitNOFILE=".count)
            #expect(try #require(Int(handles)) > BelfryServer.connections * 2)
            // A machine that starts with a wrong clock sets it first (EVT-7).
            let order = lines.first { $0.hasPrefix("After=") }
            #expect(order?.split(separator: " ").contains("time-sync.target") == true)
            // The last list is what the ones before have taken. Without it rehearsals are in the way of calls (PERF-13).
            let filters = lines.filter { $0.hasPrefix("SystemCallFilter=") }
            for call in ["sched_setattr", "setpriority"] {
                #expect(filters.last?.contains(call) == true, "\(filters)")
            }
        }
    }

    @Test(
        "FLEET-10: systemd accepts the unit, finds it well closed, and makes the user",
        .enabled(if: Linters.systemd.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) })
    )
    func linted() async throws {
        try await withStage { stage in
            let root = stage.folder.appending(path: "root")
            let program = try ProgramFile.locate().path
            let installed = try await stage.command(["install", "--root", root.path, "--program", program])
            #expect(installed.exit == .code(0), "\(installed.errors)")
            let unit = root.appending(path: Self.unit).path
            let users = root.appending(path: Self.users).path
            for arguments in [
                [Linters.systemd[0], "verify", "--man=no", unit],
                [Linters.systemd[0], "security", "--no-pager", "--offline=true", "--threshold=20", unit],
                [Linters.systemd[1], "--root=\(root.path)", users],
            ] {
                let run = try ProgramRun.start(
                    Array(arguments.dropFirst()), program: URL(filePath: arguments[0]), folder: stage.folder)
                #expect(await run.exit == .code(0), "\(arguments): \(run.standardError)")
                if arguments[1] == "verify" { #expect(run.standardError.isEmpty, "\(run.standardError)") }
            }
            #expect(try text("etc/passwd", of: root).contains("belfry:x:"))
        }
    }

    @Test("FLEET-10, CLI-2: ready answers by its exit code what /readyz says", .timeLimit(.minutes(10)))
    func ready() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                let ready = try await stage.command(["ready"], at: server.address)
                #expect(ready.exit == .code(0) && ready.output.contains("is ready"), "\(ready.errors)")
            }
            // Nobody listens there: it is below the ports of users' programs.
            let gone = try await stage.command(["ready", "--server", "http://127.0.0.1:9"])
            #expect(gone.exit == .code(1) && gone.output.contains("cannot be reached"), "\(gone.output)")
        }
    }
}

/// What judges files that no test can run.
enum Linters {
    static let systemd = ["/usr/bin/systemd-analyze", "/usr/bin/systemd-sysusers"]
    static let prometheus = "/usr/bin/promtool"
    static let container = ["/usr/local/bin/hadolint", "/usr/bin/hadolint"]
}
