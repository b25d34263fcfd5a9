import ArgumentParser
import BelfryAPI
import Foundation

/// Exports everything that is known about a person (ADM-4).
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export everything that is known of a person as JSON.",
        discussion: """
            The contact, its devices, their events, the messages of its message centers, its part of the ledger and its \
            in-app messages, with all personal data: keep the file safe.
            """
    )

    @OptionGroup var target: ContactTarget
    @Option(
        name: .shortAndLong, help: "Write to this file, which only its owner can read. (default: standard output)",
        completion: .file(extensions: ["json"])
    )
    var output: String?

    func run() async throws {
        guard let output else {
            // Data that devices have sent may contain terminal escapes, so it is made printable too.
            let rest = try await target.admin.withClient { client -> Data in
                var pieces = PrintableJSONPieces()
                _ = try await client.download(ErasureRoutes.exportContact, target.app, target.key) { bytes in
                    try FileHandle.standardOutput.write(contentsOf: pieces.take(bytes))
                }
                return pieces.end()
            }
            return print(String(decoding: rest, as: UTF8.self))
        }
        let file = try PersonalFile(output)
        let bytes: Int
        do {
            bytes = try await target.admin.withClient { client in
                try await client.download(ErasureRoutes.exportContact, target.app, target.key) { try file.append($0) }
            }
            try file.finish()
        } catch {
            file.abandon()
            throw error
        }
        try target.admin.show(ExportedFile(file: output, bytes: bytes)) {
            "The data of the contact '\(target.key.printable)' are in \($0.file.printable) (\($0.bytes) bytes)."
        }
    }
}

/// The JSON output of a command that wrote a file.
private struct ExportedFile: Encodable {
    let file: String
    let bytes: Int
}

/// A file with personal data. Only its owner can read it, and it appears under its name only when it is complete.
final class PersonalFile {
    private let path: String
    private let handle: FileHandle

    private var part: String { path + ".part" }

    init(_ path: String) throws(PersonalFileError) {
        self.path = path
        let part = path + ".part"
        try? FileManager.default.removeItem(atPath: part)
        guard FileManager.default.createFile(atPath: part, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: part)
        else { throw PersonalFileError(path: path) }
        self.handle = handle
    }

    func append(_ bytes: Data) throws(PersonalFileError) {
        do {
            try handle.write(contentsOf: bytes)
        } catch {
            throw PersonalFileError(path: path)
        }
    }

    /// Moves the complete file to its final name.
    func finish() throws(PersonalFileError) {
        do {
            try handle.synchronize()
            try handle.close()
            let target = URL(fileURLWithPath: path)
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(at: target) }
            try FileManager.default.moveItem(at: URL(fileURLWithPath: part), to: target)
        } catch {
            throw PersonalFileError(path: path)
        }
    }

    func abandon() {
        try? handle.close()
        try? FileManager.default.removeItem(atPath: part)
    }
}

/// Why no file was written, and what to do.
struct PersonalFileError: Error, CustomStringConvertible {
    let path: String

    var description: String {
        "The file \(path) (--output) cannot be written. Check its folder, its owner and the free space."
    }
}
