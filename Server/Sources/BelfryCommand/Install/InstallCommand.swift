import ArgumentParser
import Foundation

/// Installs the server as a service of systemd (FLEET-10).
struct InstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Write the systemd unit, the system user and the settings of a server.",
        discussion: """
            Writes \(ServiceFiles.Place.operators.unit)/belfry.service, \
            \(ServiceFiles.Place.operators.users)/belfry.conf, and where they are missing \(ServiceFiles.settings) and \
            \(ServiceFiles.secrets), which it never overwrites. Starts nothing: it prints the commands that do.
            """
    )

    @Flag(name: .customLong("print"), help: "Show the files and write nothing.")
    var isPrint = false

    @Option(help: "A folder to write below, as the root of another system: for packages and tests.")
    var root: String?

    @Flag(help: "Write unit and user to where a distribution's package has them: below /usr/lib.")
    var package = false

    @Option(help: "The program that the unit starts. (default: this one; with --root, /usr/bin/belfry)")
    var program: String?

    @Flag(help: "Overwrite a unit and a user that somebody has changed.")
    var force = false

    func run() throws {
        let files = ServiceFiles(program: try unitProgram(), place: package ? .packages : .operators).files
        if isPrint {
            let mode = { (mode: Int) in String(mode, radix: 8) }
            print(files.map { "==> \($0.path) (mode \(mode($0.mode)))\n\($0.text)" }.joined(separator: "\n"))
            return
        }
        let plan = try InstallPlan(files, force: force) { try Self.bytes(of: place($0)) }
        for step in plan.steps {
            let url = place(step.file.path)
            switch step.work {
            case .write:
                try Self.write(step.file, to: url)
                Console.say("wrote      \(url.path)")
            case .leave: Console.say("unchanged  \(url.path)")
            case .keep: Console.say("kept       \(url.path)")
            }
        }
        guard root == nil else { return }
        Console.say(
            """
            Now: systemd-sysusers && systemctl daemon-reload && systemctl enable --now belfry
            The log: journalctl -u belfry. The admin key: \(ServiceFiles.data)/admin-key.
            """
        )
    }

    private func unitProgram() throws -> String {
        let own = root == nil ? URL.ownProgram?.resolvingSymlinksInPath().path : nil
        let path = program ?? own ?? "/usr/bin/belfry"
        let isPlain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "+"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard path.utf8.first == UInt8(ascii: "/"), isPlain else { throw InstallError.program(path) }
        // The unit hides home and temporary folders from the service, so a program in one of them could not start. A
        // program named by --program is not checked, because it may be moved later.
        let hidden = ["home", "root", "run/user", "tmp", "var/tmp"]
        if program == nil, hidden.contains(where: { path.utf8.starts(with: "/\($0)/".utf8) }) {
            throw InstallError.hiddenProgram(path)
        }
        return path
    }

    private func place(_ path: String) -> URL {
        guard let root else { return URL(filePath: path) }
        return URL(filePath: root, directoryHint: .isDirectory).appending(path: path)
    }

    private static func bytes(of url: URL) throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            return Array(try Data(contentsOf: url))
        } catch {
            throw InstallError.notReadable(url.path)
        }
    }

    /// Writes to a temporary file and renames it, so that systemd reads either the complete new file or the former one.
    private static func write(_ file: ServiceFiles.File, to url: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true
            )
            try Data(file.text.utf8).write(to: url, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: file.mode], ofItemAtPath: url.path)
        } catch {
            throw InstallError.notWritable(url.path)
        }
    }
}
